# cmake -DOUT=x.c -DNAMES=a;b -Da=files -Db=files -P embed.cmake
# Texts in a C source: `const char view_page_<name>[]` has those files in a row.
set(source "#include \"tools/view/view.h\"\n")
foreach(name ${NAMES})
  set(bytes)
  string(REPLACE "," ";" files "${${name}}")
  foreach(file ${files})
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
    string(APPEND bytes "${hex}\n")
  endforeach()
  string(APPEND source "const char view_page_${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${source}")

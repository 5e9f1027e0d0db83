# cmake -DOUT=x.c -DLIST=files.txt -P code_id.cmake
# The digest of all files that LIST names, as a text in a C source. Their folders do
# not count.
file(STRINGS ${LIST} files)
list(SORT files)
set(digests)
foreach(file ${files})
  file(SHA256 ${file} digest)
  string(APPEND digests "${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUT} "extern const char low_code_id[];\nconst char low_code_id[] = \"${digest}\";\n")

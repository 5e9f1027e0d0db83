# The rules of tools/layers.sh, which feeds the table first, then all files.
function offence(text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text
  bad[FILENAME] = 1
}

function starts(text, prefix) {
  return substr(text, 1, length(prefix)) == prefix
}

# The innermost folder that has a row.
function layer_of(path) {
  while (sub(/\/[^\/]*$/, "", path))
    if (path in may) break
  return path
}

# May a file of `layer` include "name"?
function allowed(layer, name,    n, i, words, word) {
  n = split(may[layer], words, " ")
  for (i = 1; i <= n; i++) {
    word = words[i]
    if (word == "*" || word == name) return 1
    if (word ~ /\/$/ && layer_of(name) "/" == word) return 1
    # public headers are included by their bare names
    if (word == "include/" && index(name, "/") == 0) return 1
  }
  return 0
}

function check_quoted(name) {
  if (!allowed(layer, name))
    offence("layer " layer " may not include \"" name "\"")
}

# What `file` includes must be allowed for `layer`, and so on through headers of
# whole layers; a single file that a row names vouches for its own.
function check_closure(file, layer, seen, chain,    n, i, names, name, via) {
  n = split(includes[file], names, " ")
  for (i = 1; i <= n; i++) {
    name = names[i]
    if (name in seen) continue
    seen[name] = 1
    via = chain " -> " name
    if (!allowed(layer, name)) {
      if (file == top) continue # has its line already
      printf "%s: layer %s may not see \"%s\": %s\n", top, layer, name, via
      bad[top] = 1
    } else if (!index(may[layer] " ", " " name " "))
      check_closure(name, layer, seen, via)
  }
}

function check_closures(    file, seen) {
  for (file in includes) {
    top = file
    split("", seen)
    check_closure(file, layer_of(file), seen, file)
  }
}

function check_library(name,    prefix) {
  for (prefix in users)
    if (starts(name, prefix) && !index(users[prefix], " " layer " "))
      offence("layer " layer " may not use <" name ">")
}

function end_of_file() {
  if (last != "" && lines > 1000) {
    printf "%s:%d: file of %d lines, more than 1000\n", last, lines, lines
    bad[last] = 1
  }
}

FILENAME == "/dev/fd/3" && $1 == "layer" {
  name = $2; $1 = $2 = ""; may[name] = $0; next
}
FILENAME == "/dev/fd/3" && $1 == "header" {
  name = $2; $1 = $2 = ""; users[name] = $0 " "; next
}

FNR == 1 {
  end_of_file()
  layer = layer_of(FILENAME)
  code = FILENAME ~ /\.(c|h|cpp)$/
  opened = 0
  nfiles++
}
{ last = FILENAME; lines = FNR }

match($0, /^[ \t]*#[ \t]*include[ \t]*["<][^">]+[">]/) {
  name = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", name)
  sub(/[">].*/, "", name)
  if ($0 ~ /include[ \t]*"/) {
    check_quoted(name)
    includes[FILENAME] = includes[FILENAME] " " name
  }
  check_library(name)
}

# A function's name stands at column 0, its last brace, too. (A type's last brace
# is followed by a semicolon or a name.)
code && /^[A-Za-z_][A-Za-z_0-9:<>~ *&]*\(/ { opened = FNR }
code && /^}$/ {
  if (opened && FNR - opened + 1 > 60)
    offence("function of " FNR - opened + 1 " lines, more than 60")
  opened = 0
}

END {
  end_of_file()
  check_closures()
  for (f in bad) nbad++
  printf "%d passed, %d failed\n", nfiles - nbad, nbad
  exit nbad > 0
}

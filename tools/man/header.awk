# Man pages of a public header, by its sections: comments as they are, what they document
# above them.
#   awk -f header.awk -v out=FOLDER -v version=V include/op2.h
# "/* ---- when loops run ---- */" begins op2_when_loops_run.3; the header's head comment
# is op2.h.3. Each function, and each macro that a head comment declares (op2_c.h), has a
# page that leads to the one it stands on.

function text(s) { # what troff would take for its own
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  gsub(/'/, "\\(aq", s)
  gsub(/`/, "\\(ga", s)
  gsub(/\^/, "\\(ha", s)
  gsub(/~/, "\\(ti", s)
  return s ~ /^[.]/ ? "\\&" s : s
}

function add_name(name) {
  if (name in page_of) return
  page_of[name] = page
  names = names (names == "" ? "" : ", ") text(name)
}

# Comment and declarations of one entry go to the body.
function entry(   i) {
  if (nsaid + ndeclared == 0) return
  body = body ".PP\n"
  if (ndeclared) {
    body = body ".nf\n"
    for (i = 1; i <= ndeclared; i++)
      body = body (declared[i] == "" ? "" : "\\fB") text(declared[i]) \
        (declared[i] == "" ? "" : "\\fR") "\n"
    body = body ".fi\n"
  }
  if (nsaid) {
    body = body ".RS 4\n.nf\n"
    for (i = 1; i <= nsaid; i++) body = body text(said[i]) "\n"
    body = body ".fi\n.RE\n"
  }
  nsaid = ndeclared = 0
}

function about(file) {
  return file == "op2.h" ? "lazy loops over unstructured meshes" : \
    file == "op2_boxes.h" ? "structured sets, a part of op2.h" : \
    file == "op2_algebra.h" ? "dats as vectors, solvers, matrices, a part of op2.h" : \
    file == "op2_c.h" ? "the typed calls of op2.h, for C" : "a part of op2.h"
}

function finish(   file) {
  entry()
  if (page == "" || body == "") return
  file = out "/man3/" page ".3"
  printf ".TH \"%s\" 3 \"\" \"op2lazy %s\" \"op2lazy\"\n", toupper(text(page)), version >file
  printf ".SH NAME\n%s \\- %s\n", names == "" ? text(page) : names, text(title) >file
  printf ".SH SYNOPSIS\n.B #include \\(dqop2.h\\(dq\n.SH DESCRIPTION\n%s", body >file
  printf ".SH SEE ALSO\n.BR op2.h (3),\n.BR op2cc (1),\n.BR op2\\-options (7)\n" >file
  close(file)
}

function start(name, what) {
  finish()
  page = name
  title = what
  names = body = ""
}

# Names that are declared or, in a head comment, listed.
function note(s,   name) {
  if (s ~ /^typedef|^#|^ /) return
  if (match(s, /[ *]op2?_[a-z0-9_]*\(/)) {
    name = substr(s, RSTART + 1, RLENGTH - 2)
    add_name(name)
  }
}

FNR == 1 {
  file = FILENAME
  sub(/.*\//, "", file)
  start(file, about(file))
  add_name(file)
  head = 1
}

# ---- comments ----

/^\/\* ---- / {
  name = $0
  sub(/^\/\* -* */, "", name)
  sub(/ *-*( \*\/)?$/, "", name)
  sub(/^.*: /, "", name)
  sub(/^OP2's /, "", name)
  page_name = tolower(name)
  gsub(/[^a-z0-9]+/, "_", page_name)
  start("op2_" page_name, name)
  off = name ~ /^(entry points|from a|declarations and|arguments$|calls that)/ || \
    file == "op2_c.h"
  if (off) page = ""
  next
}
/^ *\/\*/ && !inside && !in_declaration {
  if (ndeclared) entry()
  inside = 1
}
inside {
  s = $0
  over = s ~ /\*\/ *$/
  sub(/^ *\/\* ?/, "", s) || sub(/^ *\* ?/, "", s)
  sub(/ *\*\/ *$/, "", s)
  if (page != "" && !(over && s == "")) {
    said[++nsaid] = s
    if (head && file == "op2_c.h") note_listed(s)
  }
  if (over) {
    inside = 0
    if (head) { # what comes behind is guards
      finish()
      page = ""
      head = 0
    }
  }
  next
}
function note_listed(s) {
  if (match(s, /^  (op_[a-z]+|void) op2?_[a-z0-9_]*\(/)) {
    s = substr(s, RSTART, RLENGTH)
    sub(/^  [a-z_]* /, "", s)
    sub(/\(/, "", s)
    add_name(s)
  }
}

# ---- declarations ----

page == "" { next }
in_function { in_function = $0 !~ /^}/; next }
/^(OP2_PLAIN|OP2_PLAIN_END|extern "C"|})?$/ { next }
/^#define OP2_(NOT_)?CHECKED/ { next }
/^#(if|ifdef|ifndef|else|endif|include|undef)/ { next }
{
  s = $0
  sub(/^(inline )?(OP2_CHECKED|OP2_NOT_CHECKED) /, "", s)
  sub(/^inline /, "", s)
  if (s ~ /\) \{$/ || (s ~ /\{$/ && s ~ /\)/)) {
    sub(/ *\{$/, ";", s)
    in_function = 1
  }
  declared[++ndeclared] = s
  if (prior ~ /^[a-z][a-z0-9_ *]*$/ && s ~ /^op2?_/) note(prior " " s)
  else note(s)
  prior = s
  in_declaration = s !~ /[;}]( *\/\*.*)?$/ && s !~ /^#/
}

END {
  finish()
  for (name in page_of)
    if (page_of[name] != name) {
      file = out "/man3/" name ".3"
      printf ".so man3/%s.3\n", page_of[name] >file
      close(file)
    }
}

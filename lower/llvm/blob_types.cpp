// Types of a kernel's parameters, from its debug information: the C API has no
// way into that.
//
// A parameter is a pointer, perhaps through type names and qualifiers:
//
//   typedef double real;  const real *x -> "double"   real **x -> "double*"
//
// What no type of OP2's says (void, a struct, an enum, plain bytes, an array)
// has no name: "". Such parameters are taken at their word.
#include "lower/llvm/blob_types.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include <string>

using namespace llvm;

// The type behind names and qualifiers.
static const DIType *
bare(const DIType *t) {
  while (auto *d = dyn_cast_or_null<DIDerivedType>(t)) {
    switch (d->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type: t = d->getBaseType(); break;
    default: return t;
    }
  }
  return t;
}

// What a pointer points to, bare; false: not a pointer.
static bool
pointed(const DIType *t, const DIType **out) {
  auto *d = dyn_cast_or_null<DIDerivedType>(t);
  if (!d || d->getTag() != dwarf::DW_TAG_pointer_type) return false;
  *out = bare(d->getBaseType());
  return true;
}

static std::string
basic_name(const DIType *t) {
  auto *b = dyn_cast_or_null<DIBasicType>(t);
  if (!b) return "";
  uint64_t bytes = b->getSizeInBits() / 8;
  switch (b->getEncoding()) {
  case dwarf::DW_ATE_boolean: return "bool";
  case dwarf::DW_ATE_float:
    return bytes == 8 ? "double" : bytes == 4 ? "float" : b->getName().str();
  case dwarf::DW_ATE_signed:
    return bytes == 8 ? "ll" : bytes == 4 ? "int" : bytes == 2 ? "short" : "";
  case dwarf::DW_ATE_unsigned:
    return bytes == 8 ? "ull" : bytes == 4 ? "uint" : "";
  default: return "";
  }
}

static std::string
param_name(const DIType *t) {
  const DIType *to;
  if (!pointed(bare(t), &to)) return "";
  bool row = pointed(to, &to);
  std::string name = basic_name(to);
  return row && !name.empty() ? name + "*" : name;
}

void
low_param_types(LLVMValueRef function,
                void (*take)(void *user, const char *type), void *user) {
  const DISubprogram *s = unwrap<Function>(function)->getSubprogram();
  const DISubroutineType *t = s ? s->getType() : nullptr;
  if (!t) return;
  DITypeRefArray types = t->getTypeArray();
  for (unsigned i = 1; i < types.size(); i++)
    take(user, param_name(types[i]).c_str());
}

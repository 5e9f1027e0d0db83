/* A stand-in for the library's registration: what the blobs say, as text. */
#ifndef TEST_OP2CC_REGISTRY_H
#define TEST_OP2CC_REGISTRY_H

#ifdef __cplusplus
extern "C" {
#endif
/* Stands for an entry point of the library: op2cc looks for such names. */
void op2_test_loop(void (*kernel)(void));
#define TEST_LOOP(kernel) op2_test_loop((void (*)(void))(kernel))

/* IR name of a function's or global's address; NULL: not registered. */
const char *registry_name(const void *address);
/* Size of the global at this address; 0: not registered. */
unsigned long long registry_size(const void *address);
int registry_blobs(void);
/* Is a function of this IR name registered? */
int registry_has(const char *name);
/* Line of the first read of dat->data in a file of this name; 0: none. */
int registry_peek(const char *file);
/* What becomes of dat->data on this line (enum op2_look_kind); -1: no read. */
int registry_look(const char *file, int line);
/* Looks made so far; files of other compilers. */
int registry_looks(void);
int registry_plain(void);
/* Nobody knows what it does. */
void registry_unknown(const double *p);
/* Has every blob with entries bitcode that looks like it? */
int registry_bitcode_ok(void);
#ifdef __cplusplus
}
#endif
#endif

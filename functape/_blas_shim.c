/* Gives MLX's plain BLAS and LAPACK names to an OpenBLAS that carries a prefix.
 *
 * The scipy-openblas32 wheel exports scipy_cblas_sgemm; MLX's Linux library asks for cblas_sgemm.
 * Each symbol below is one jump through a pointer, which functape_blas_bind fills once from an open
 * library. Pointers, rather than undefined scipy_* symbols, so that the OpenBLAS itself can stay
 * private: loaded globally it would also take over the calls of SciPy, whose copy of OpenBLAS
 * exports the same names. A jump leaves registers and stack as they are, so no signature is needed,
 * and the hidden string lengths of Fortran pass through as well.
 *
 * blas.py loads the result; setup.py builds it, and installs without it where there is no compiler.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

/* All that MLX takes from BLAS and LAPACK (tests/test_blas.py compares this with libmlx.so). */
#define SYMBOLS(ROW)                                                     \
    ROW(cblas_sgemm) ROW(cblas_dgemm) ROW(cblas_cgemm) /* matmul */      \
    ROW(sgetrf_) ROW(dgetrf_)                          /* lu, inv */     \
    ROW(sgetri_) ROW(dgetri_)                          /* inv */         \
    ROW(strtri_) ROW(dtrtri_)                          /* tri_inv */     \
    ROW(spotrf_) ROW(dpotrf_)                          /* cholesky */    \
    ROW(sgeqrf_) ROW(dgeqrf_)                          /* qr */          \
    ROW(sorgqr_) ROW(dorgqr_)                          /* qr */          \
    ROW(sgesdd_) ROW(dgesdd_) ROW(cgesdd_)             /* svd */         \
    ROW(ssyevd_) ROW(dsyevd_) ROW(cheevd_)             /* eigh */        \
    ROW(sgeev_) ROW(dgeev_) ROW(cgeev_)                /* eig */

/* The first instruction marks a legal target of an indirect call, should the machine check. */
#if defined(__x86_64__)
#define JUMP(target) "endbr64\n jmp *" #target "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(target) \
    "hint #34\n adrp x16, " #target "\n ldr x16, [x16, :lo12:" #target "]\n br x16\n"
#else
#error "the BLAS shim knows x86-64 and aarch64, for which MLX has Linux wheels"
#endif

#define FORWARD(name)                                                  \
    __attribute__((visibility("hidden"))) void *functape_to_##name;    \
    __asm__(".text\n .balign 16\n .globl " #name "\n"                  \
            " .type " #name ", %function\n" #name ":\n "               \
            JUMP(functape_to_##name)                                   \
            " .size " #name ", .-" #name "\n");
SYMBOLS(FORWARD)

#define ROW(name) {#name, &functape_to_##name},
static const struct { const char *name; void **to; } rows[] = {SYMBOLS(ROW)};

/* Points every symbol at prefix + name in an open library. Returns NULL, or a name it lacks. */
const char *functape_blas_bind(void *library, const char *prefix)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, rows[i].name);
        if (!(*rows[i].to = dlsym(library, name)))
            return rows[i].name;
    }
    return NULL;
}

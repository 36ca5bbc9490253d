// A library that the environment names is loaded only if not everybody may write to it.
#define _GNU_SOURCE // dladdr
#include "check.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/backend.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>

int main(void)
{
    static const char path[] = SEDGE_TEST_DIR "/libtoolkit.so";
    static const char *const none[] = {"libsedge-has-no-such-library.so", NULL};
    static const char *const some[] = {"libsedge-has-no-such-library.so", "libm.so.6", NULL};
    void *library = NULL;

    CHECK(unsetenv("SEDGE_CUSPARSE") == 0);
    CHECK(sedge_toolkit_open("SEDGE_CUSPARSE", none) == NULL);
    library = sedge_toolkit_open("SEDGE_CUSPARSE", some);
    CHECK(library != NULL);
    if (library == NULL) return CHECK_END();

    char *bytes = NULL;
    size_t length = 0;
    Dl_info about;
    CHECK(dladdr(dlsym(library, "cos"), &about) != 0);
    CHECK_OK(sedge_file_read(&bytes, &length, about.dli_fname, SEDGE_ERR_USAGE));
    CHECK_OK(sedge_file_write(path, bytes, length));
    CHECK(dlclose(library) == 0);
    sedge_release(bytes);
    CHECK(setenv("SEDGE_CUSPARSE", path, 1) == 0);
    CHECK(chmod(path, 0755) == 0);
    library = sedge_toolkit_open("SEDGE_CUSPARSE", none);
    CHECK(library != NULL);
    if (library != NULL) CHECK(dlclose(library) == 0);
    CHECK(chmod(path, 0777) == 0);
    CHECK(sedge_toolkit_open("SEDGE_CUSPARSE", some) == NULL);
    return CHECK_END();
}

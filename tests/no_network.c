// A libcurl and a libcrypto for tests, which no network reaches. Debian's HDF5 can read from the
// cloud and loads both for it, and with libcurl thirty libraries more, at each start of a program.
// See CMakeLists.txt.
#include <stdlib.h>

#define NO_NETWORK(name) \
    void name(void);     \
    void name(void)      \
    {                    \
        abort();         \
    }

// What HDF5 calls when it opens a file of the cloud.
NO_NETWORK(curl_easy_cleanup)
NO_NETWORK(curl_easy_init)
NO_NETWORK(curl_easy_perform)
NO_NETWORK(curl_easy_setopt)
NO_NETWORK(curl_global_cleanup)
NO_NETWORK(curl_global_init)
NO_NETWORK(curl_slist_append)
NO_NETWORK(curl_slist_free_all)
NO_NETWORK(EVP_sha256)
NO_NETWORK(HMAC)
NO_NETWORK(SHA256)

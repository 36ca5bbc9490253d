# Above src/device nothing names a kind of device: it asks for what a device can do (sedge_traits in
# device.h). A program's text is written for a kind, which is handed on as a value. These files name
# kinds, for the reason beside them:
set(allowed
  codegen/reduce/reduce_tune.c # the tuning candidates of each kind: a row each
  codegen/program/program_write.c # the prelude of each kind: a row each
)

set(found "")
foreach(folder src codegen solvers benchmarks)
  file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/${folder}/*.c ${SOURCE}/${folder}/*.h)
  list(FILTER files EXCLUDE REGEX "^src/device/")
  foreach(file ${files})
    file(STRINGS ${SOURCE}/${file} lines
      REGEX "SEDGE_DEVICE_(HOST|CUDA|OPENCL)|str(case)?cmp\\([^,]*kind_name")
    if(lines)
      list(APPEND found ${file})
    endif()
  endforeach()
endforeach()
list(SORT found)
list(SORT allowed)
if(NOT found STREQUAL allowed)
  message(FATAL_ERROR "kinds of devices are named in: ${found}\nallowed are: ${allowed}")
endif()

# Run by ctest; the variables are set in CMakeLists.txt.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${PREFIX} ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})

set(flags "")
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_C_COMPILER=${CC}
  -DCMAKE_C_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${WORK})
foreach(program arrays solver)
  run(${WORK}/${program})
endforeach()

run(${MPIEXEC} -n 2 ${WORK}/guest ${PETSC} ${DEVICES})

# Nothing else is seen by the programs that link these, and nothing of theirs overrules it.
foreach(library sedge_codegen sedge)
  run(nm -D --defined-only ${PREFIX}/${LIBDIR}/lib${library}.so)
  string(REGEX MATCHALL "[^ \n]+\n" symbols "${output}")
  list(LENGTH symbols count)
  list(FILTER symbols EXCLUDE REGEX "^(sedge_|SEDGE_)")
  if(symbols OR count LESS 100)
    message(FATAL_ERROR "lib${library}.so shows ${count} symbols, among them ${symbols}")
  endif()
endforeach()

# The files move with their folder, whatever prefix the build was configured for.
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
foreach(package sedge_codegen sedge)
  run(pkg-config --cflags --libs ${package})
  separate_arguments(package_flags UNIX_COMMAND "${output}")
  set(program arrays)
  if(package STREQUAL sedge)
    set(program solver)
  endif()
  run(${CC} -std=c11 -Wall -Wextra -Werror ${flags} -o ${WORK}/${program}-pkg
    ${SOURCE}/${program}.c ${package_flags} -lm -Wl,-rpath,${PREFIX}/${LIBDIR})
  run(${WORK}/${program}-pkg)
endforeach()

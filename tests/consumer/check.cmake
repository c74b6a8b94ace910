# Installs cubesim into a fresh prefix, then builds and runs a separate project against it, found
# once by find_package and once by pkg-config; last, the installed program runs from there.

file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH})
set(ENV{CUBESIM_CONFIGS} ${prefix}/${DATADIR}/cubesim/configs)
unset(ENV{DESTDIR})

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(result)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}\n${out}")
    endif()
    set(output "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_C_FLAGS=${C_FLAGS})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/by_cmake)
if(NOT output MATCHES "ascend910b1, [1-9][0-9]* cycles")
    message(FATAL_ERROR "unexpected output of by_cmake: ${output}")
endif()
set(by_cmake "${output}")
run(${WORK_DIR}/build/by_pkg_config)
if(NOT output STREQUAL by_cmake)
    message(FATAL_ERROR "by_pkg_config prints ${output}, by_cmake ${by_cmake}")
endif()

unset(ENV{CUBESIM_CONFIGS})
run(${prefix}/bin/cubesim check ${prefix}/${DATADIR}/cubesim/configs/plans/res2a.yaml)
run(${prefix}/bin/cubesim run --timing-only
    ${prefix}/${DATADIR}/cubesim/samples/matmul_double_buffered.prog)
message(STATUS "${by_cmake}")

# What `cmake --install` puts where.

install(TARGETS cubesim_model EXPORT cubesim-targets)
install(TARGETS cubesim)

foreach(folder engine isa model)
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cubesim
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "network_onnx.h" EXCLUDE)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/include/model/version.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cubesim/model)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cubesim)
install(EXPORT cubesim-targets NAMESPACE cubesim:: DESTINATION ${package_dir})
configure_package_config_file(cmake/cubesim-config.cmake.in
    ${PROJECT_BINARY_DIR}/cubesim-config.cmake
    INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cubesim-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/cubesim-config.cmake ${PROJECT_BINARY_DIR}/cubesim-config-version.cmake
    DESTINATION ${package_dir})

file(RELATIVE_PATH prefix_of_pc
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/cubesim.pc.in ${PROJECT_BINARY_DIR}/cubesim.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cubesim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/cubesim)
install(DIRECTORY traces/samples DESTINATION ${CMAKE_INSTALL_DATADIR}/cubesim
    FILES_MATCHING PATTERN "*.prog" PATTERN "*.yaml" PATTERN "golden" EXCLUDE)
install(DIRECTORY scripts/queries DESTINATION ${CMAKE_INSTALL_DATADIR}/cubesim)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
    FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
install(FILES completions/cubesim.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cubesim)

# Man pages, where their compiler is installed.
find_program(SCDOC scdoc)
file(GLOB pages CONFIGURE_DEPENDS man/*.1.scd)
if(SCDOC)
    set(manuals "")
    foreach(page ${pages})
        cmake_path(GET page STEM LAST_ONLY manual)
        add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man/${manual}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
            COMMAND ${SCDOC} < ${page} > ${PROJECT_BINARY_DIR}/man/${manual}
            DEPENDS ${page}
            VERBATIM)
        list(APPEND manuals ${PROJECT_BINARY_DIR}/man/${manual})
    endforeach()
    add_custom_target(man ALL DEPENDS ${manuals})
    install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

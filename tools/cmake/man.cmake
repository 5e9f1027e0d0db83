# Man pages, made with the tools that they tell of (tools/man.sh has the table of those;
# one that this build lacks has no page).
if(TARGET op2cc AND TARGET op2-run)
  set(tools op2cc op2-run op2-opt op2-mesh op2-view)
  foreach(tool ${tools})
    if(TARGET ${tool})
      list(APPEND OP2_MAN_TOOLS $<TARGET_FILE:${tool}>)
    elseif(EXISTS ${CMAKE_SOURCE_DIR}/tools/${tool}) # a script
      list(APPEND OP2_MAN_TOOLS ${CMAKE_SOURCE_DIR}/tools/${tool})
    endif()
  endforeach()
  add_custom_command(OUTPUT man/made
    COMMAND ${CMAKE_SOURCE_DIR}/tools/man.sh ${CMAKE_BINARY_DIR}/man
            ${PROJECT_VERSION} ${CMAKE_SOURCE_DIR}/include ${OP2_MAN_TOOLS}
    COMMAND ${CMAKE_COMMAND} -E touch man/made
    DEPENDS ${OP2_MAN_TOOLS} ${OP2_HEADERS} tools/man.sh tools/man/header.awk
    COMMENT "Man pages" VERBATIM)
  add_custom_target(man ALL DEPENDS man/made)

  set(man ${CMAKE_BINARY_DIR}/man)
  install(DIRECTORY ${man}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT dev)
  install(DIRECTORY ${man}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools)
  foreach(page "dev;op2c*.1" "mesh;op2-mesh.1" "tools;op2-run.1" "tools;op2-opt.1"
          "tools;op2-view.1")
    list(GET page 0 component)
    list(GET page 1 pattern)
    if(component IN_LIST OP2_COMPONENTS)
      install(DIRECTORY ${man}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR}
              COMPONENT ${component} FILES_MATCHING PATTERN "${pattern}")
    endif()
  endforeach()
endif()

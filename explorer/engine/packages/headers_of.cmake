# heddle_headers_of(TARGET FOLDER): an interface library of the headers in /usr/include/FOLDER. They lie
# beside those of the host's C library, which must not be seen, so a link leads to them alone.
function(heddle_headers_of target folder)
  if(TARGET ${target})
    return()
  endif()
  find_path(${folder}_headers NAMES ${folder} PATHS /usr/include /usr/local/include REQUIRED
            NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  set(linked ${CMAKE_BINARY_DIR}/headers_of_${folder})
  file(MAKE_DIRECTORY ${linked})
  file(CREATE_LINK ${${folder}_headers}/${folder} ${linked}/${folder} SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${linked})
endfunction()

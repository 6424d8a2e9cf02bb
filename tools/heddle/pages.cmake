# cmake -DHEDDLE=PROGRAM -DFOLDER=PREFIX/share -P pages.cmake: writes what the program says of itself,
# manual pages and completions, to where man and the shells look below a prefix.
foreach(file bash-completion/completions/heddle=bash
        # Debian's zsh looks in the second, others' in the first.
        zsh/site-functions/_heddle=zsh zsh/vendor-completions/_heddle=zsh
        fish/vendor_completions.d/heddle.fish=fish)
  string(REPLACE "=" ";" file ${file})
  list(POP_BACK file shell)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${FOLDER}/${folder})
  execute_process(COMMAND ${HEDDLE} completion ${shell} OUTPUT_FILE ${FOLDER}/${file}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(MAKE_DIRECTORY ${FOLDER}/man/man1)
execute_process(COMMAND ${HEDDLE} manual OUTPUT_FILE ${FOLDER}/man/man1/heddle.1
                COMMAND_ERROR_IS_FATAL ANY)
# The commands, as a shell asks for them.
execute_process(COMMAND ${HEDDLE} completion bash "heddle manual " OUTPUT_VARIABLE commands
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" commands "${commands}")
foreach(command ${commands})
  execute_process(COMMAND ${HEDDLE} manual ${command}
                  OUTPUT_FILE ${FOLDER}/man/man1/heddle-${command}.1 COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# complete.sh SHELL HEDDLE LINE: what the shell offers at the end of the line, one a line, sorted, with
# the script that the program prints for it.
shell=$1 heddle=$2 line=$3
case $shell in
  bash)
    bash --norc -c 'source <("$1" completion bash)
      COMP_LINE=$2 COMP_POINT=${#2}
      _heddle "$1"
      printf "%s\n" "${COMPREPLY[@]}"' bash "$heddle" "$line"
    ;;
  zsh) # without a terminal: what the script hands to zsh's own functions
    zsh -f -c 'compdef() { }
      _describe() { print -rl -- "${answers[@]}" }
      _files() { print FILES }
      source <($1 completion zsh)
      words=($1 "${(z)${2#heddle}}")
      [[ $2 == *" " ]] && words+=("")
      CURRENT=$#words PREFIX=$words[-1]
      _heddle' zsh "$heddle" "$line"
    ;;
  fish)
    PATH=$(dirname "$heddle"):$PATH fish --no-config -c "heddle completion fish | source; complete -C '$line'"
    ;;
esac | sort

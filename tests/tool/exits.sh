# exits.sh STATUS COMMAND…: runs the command and fails unless it exits with that status.
wanted=$1
shift
"$@"
status=$?
[ "$status" = "$wanted" ] || {
  echo "exit status $status instead of $wanted: $*" >&2
  exit 1
}

# Adds up what passed and failed in all parts of .ci/run.

passed=0
failed=0
failures=()
retried=()
failed_tests=()
times=()
run_started=$SECONDS

# A part that takes longer hangs: what runs is printed, and the part fails.
limit_of_a_part=2100

# part <name> <command…>: runs the command and adds the counts of its line `N passed, N failed`, or one if it prints no such line. Its output goes
# through a file: a process that it leaves behind would keep a pipe open.
part() {
  local name="$1" log code line job reader started=$SECONDS
  shift
  printf '\n▸ %s\n' "$name"
  log="$(mktemp)"
  # With a process group of its own, it can be ended whole.
  set -m
  "$@" >"$log" 2>&1 &
  job=$!
  set +m
  tail -n +1 -f --pid="$job" "$log" &
  reader=$!
  while kill -0 "$job" 2>/dev/null; do
    sleep 0.5
    if [ $((SECONDS - started)) -gt "$limit_of_a_part" ]; then
      { echo "$name has not ended after $limit_of_a_part s; these processes run:" && ps --ppid 2 -p 2 --deselect -o pid,ppid,stat,etimes,args --forest | cut -c1-240; } >>"$log"
      kill -TERM -- "-$job" && sleep 10
      kill -KILL -- "-$job" 2>/dev/null
      break
    fi
  done
  wait "$job" 2>/dev/null
  code=$?
  wait "$reader"
  line="$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)"
  mapfile -t -O "${#retried[@]}" retried < <(grep '^passed at the second attempt: ' "$log")
  mapfile -t -O "${#failed_tests[@]}" failed_tests < <(grep '^failed test: ' "$log")
  rm -f "$log"
  times+=("$(printf '%6d s  %s' "$((SECONDS - started))" "$name")")
  count "$name" "$code" "$line"
}

# count <name> <exit code> [<line of counts>]
count() {
  local name="$1" code="$2" part_passed=0 part_failed=0
  if [[ "${3:-}" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    part_passed="${BASH_REMATCH[1]}"
    part_failed="${BASH_REMATCH[2]}"
  elif [ "$code" -eq 0 ]; then
    part_passed=1
  fi
  if [ "$code" -ne 0 ] && [ "$part_failed" -eq 0 ]; then part_failed=1; fi
  passed=$((passed + part_passed))
  failed=$((failed + part_failed))
  if [ "$part_failed" -gt 0 ]; then failures+=("$name"); fi
  return 0
}

# Prints where the time went, and the counts as the last line; the exit code says whether all passed.
report() {
  printf '\nTime of each part\n'
  if [ "${#times[@]}" -gt 0 ]; then printf '%s\n' "${times[@]}"; fi
  printf '%6d s  in all\n\n' "$((SECONDS - run_started))"
  # A test that was slow once is named; more than one hide races.
  if [ "${#retried[@]}" -gt 1 ] && [ "$failed" -eq 0 ]; then count "${#retried[@]} tests passed only at the second attempt" 1; fi
  if [ "${#retried[@]}" -gt 0 ]; then printf '%s\n' "${retried[@]}"; fi
  if [ "${#failed_tests[@]}" -gt 0 ]; then printf '%s\n' "${failed_tests[@]}"; fi
  if [ "$failed" -gt 0 ]; then printf 'failed: %s\n' "${failures[@]}"; fi
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

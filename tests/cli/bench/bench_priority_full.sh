# SPDX-License-Identifier: Apache-2.0
# Runtimes take seconds.
expect 0 weir bench priority --only runtimes --systems 1 --json
json stdout >/dev/null
equal "files" "$(cd bench-priority && echo *)" "runtimes.csv runtimes.svg"
equal "sizes" "$(cut -d, -f1 bench-priority/runtimes.csv | tr '\n' ' ')" "tasks 5 10 20 50 100 200 "
awk -F, 'NR > 1 { for (i = 3; i <= 26; i++) if ($i <= 0) exit 1 }' bench-priority/runtimes.csv || complain "a runtime is not positive"

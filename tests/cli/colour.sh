# SPDX-License-Identifier: Apache-2.0
# Colour on a terminal only, and not where NO_COLOR is set.
escape=$(printf '\033')
model=overload.yaml
cp "$models/$model" .
expect 1 weir analyze "$model"
lacks stdout "$escape"
expect 2 weir analyze --bad
lacks stderr "$escape"

script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no script(1), or no terminal to be had from it"
on_terminal() { # on_terminal [VARIABLE=VALUE...]
    # shellcheck disable=SC2086
    script -qec "env $* '$weir_program' analyze $model" /dev/null </dev/null >stdout 2>&1
}
on_terminal
has stdout "$escape"
has stdout "NO BOUND"
on_terminal NO_COLOR=1
has stdout "NO BOUND"
lacks stdout "$escape"
on_terminal NO_COLOR=
has stdout "$escape"
on_terminal TERM=dumb
lacks stdout "$escape"

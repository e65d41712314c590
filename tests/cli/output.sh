# SPDX-License-Identifier: Apache-2.0
# An answer that is not written is no answer.
model=ultrasound.yaml
cp "$models/$model" .
if [ -w /dev/full ]; then
    for arguments in "analyze $model" "analyze $model --json" "--version" "--help" "analyze --help" "convert $model --to yaml -o -"; do
        weir $arguments >/dev/full 2>stderr
        equal "status of weir $arguments >/dev/full" $? 74
        has stderr "weir: cannot write"
    done
    expect 74 weir convert "$model" --to dot -o /dev/full
    has stderr "cannot write"
fi

weir analyze "$model" >&- 2>stderr
equal "status without stdout" $? 74
has stderr "weir: cannot write"
expect 0 weir analyze "$model"
cp stdout reference
weir analyze "$model" 2>&- >stdout || complain "without stderr"
cmp -s stdout reference || complain "differs without stderr"
weir analyze - <"$model" >&- 2>stderr
equal "status with stdin but no stdout" $? 74

# A reader that goes away.
{
    weir analyze "$model" --json 2>stderr
    echo $? >status
} | true
for i in $(seq 50); do [ -s status ] || sleep 0.1; done
case $(cat status) in
0 | 74) ;; # it may have been quick enough
*) complain "status $(cat status) when the reader is gone" ;;
esac

# Without a stdout, a file that is opened does not become it.
expect 0 weir convert "$model" -o out.yaml
cp out.yaml reference
rm out.yaml
weir convert "$model" -o out.yaml >&- 2>stderr || complain "convert needs no stdout: $(cat stderr)"
cmp -s out.yaml reference || complain "the file differs without stdout"

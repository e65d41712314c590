# SPDX-License-Identifier: Apache-2.0
# Every flowgraph that GNU Radio has installed is read: to a model, or to a list in which each line has a place.
examples=/usr/share/gnuradio/examples
[ -d $examples ] || skip "GNU Radio's examples are not installed"
count=0 models_made=0
while IFS= read -r file; do
    count=$((count + 1))
    options=(--cores 4)
    for round in 1 2 3; do # what is asked for is given; a rate may be asked for once others are known
        timeout -k 10 600 "$weir_program" analyze --json "$file" "${options[@]}" >stdout 2>stderr
        status=$?
        [ $status = 3 ] || break
        mapfile -t more < <(sed -n 's/.*; give\( --.*\)/\1/p' stderr |
            sed 's|OUT/IN|1/1|g; s/FREQUENCY/1kHz/g; s/INIT,PER-SAMPLE/100ns,1ns/g' | tr ' ' '\n' | grep .)
        [ ${#more[@]} -gt 0 ] || break
        [ $round -lt 3 ] || complain "$file asks for more and more"
        options+=("${more[@]}")
    done
    case $status in
    0 | 1) models_made=$((models_made + 1)) ;;
    3)
        [ -s stderr ] || complain "$file: nothing is said"
        grep -Ev '^[^:]+\.grc:[1-9][0-9]*:[1-9][0-9]*: ' stderr && complain "$file: a line has no place"
        ;;
    *) complain "$file: exit status $status" ;;
    esac
done < <(find $examples -name '*.grc' | sort)
[ $count -gt 0 ] || skip "GNU Radio's examples are not installed"
echo "$count flowgraphs, $models_made models"
[ $((models_made * 10)) -ge $((count * 8)) ] || complain "only $models_made of $count flowgraphs become models"

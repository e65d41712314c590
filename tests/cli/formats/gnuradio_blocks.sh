# SPDX-License-Identifier: Apache-2.0
# What blocks make, take and wait for, as the tools find it, foretells how often the blocks of the installed GNU Radio execute.
. "$here/formats/gnuradio_python"
expect 0 timeout -k 10 2400 "$python" "$here/formats/gnuradio_blocks.py" "$tools"
grep -E '^[0-9]+ blocks, ' stdout

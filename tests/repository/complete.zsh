# SPDX-License-Identifier: Apache-2.0
# complete.zsh FOLDER: what zsh makes of "weir analyze --dea" and a tab, with the completion in FOLDER.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='READY> '; stty rows 24 cols 200; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; print LOADED"
zpty -r -m shell line '*LOADED*READY> *'
zpty -n -w shell $'weir analyze --dea\t'
for i in {1..40}; do
    sleep 0.1
    zpty -r -t shell part && shown+=$part
    [[ $shown == *deadline* ]] && break
done
print -r -- $shown
zpty -d shell

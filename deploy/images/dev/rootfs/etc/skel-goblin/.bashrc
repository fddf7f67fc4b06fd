# ~/.bashrc: read by interactive shells. It was put here when your home was
# empty; it is yours now, and nothing writes to it again.

case $- in
*i*) ;;
*) return ;;
esac

HISTCONTROL=ignoreboth
HISTSIZE=10000
HISTFILESIZE=20000
shopt -s histappend checkwinsize

PS1='\[\033[01;32m\]${NOTEBOOK_TAG:-goblin}\[\033[00m\]:\[\033[01;34m\]\w\[\033[00m\]\$ '

alias ls='ls --color=auto'
alias ll='ls -l'
alias la='ls -lA'
alias grep='grep --color=auto'

# Packages from "pip install --user" stay with your home.
case ":$PATH:" in
*":$HOME/.local/bin:"*) ;;
*) PATH=$HOME/.local/bin:$PATH ;;
esac

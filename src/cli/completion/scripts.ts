/**
 * Shell completion scripts. On every tab they call `svc completion suggest -- WORDS`, so they never go stale. It prints
 * a line with `values`, `files` or `folders`, then one line per value, with a tab before its description. Typed words
 * reach svc as arguments and are never evaluated.
 */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Bash splits `--type=q8` at the `=`, and completes files itself where nothing is suggested. */
const bash = `# bash completion for svc; load it with: source <(svc completion bash)
_svc_completion() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=() word kind line
  [ "$current" = "=" ] && current=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [ "$word" = "=" ] || words+=("$word")
  done
  COMPREPLY=()
  {
    read -r kind
    while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done
  } < <(svc completion suggest -- "\${words[@]}" "$current" 2>/dev/null)
  case "$kind" in
    files) ;;
    folders) compopt -o plusdirs +o default 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
}
complete -o default -F _svc_completion svc
`;

const zsh = `#compdef svc
# zsh completion for svc; load it with: source <(svc completion zsh)
# or keep it as _svc in a folder of fpath
_svc() {
  local -a lines values
  lines=("\${(@f)$(svc completion suggest -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  compset -P '--*='
  case $lines[1] in
    files) _files ;;
    folders) _files -/ ;;
    *)
      values=("\${(@)lines[2,-1]//:/\\\\:}")
      values=("\${(@)values/$'\\t'/:}")
      (( $#lines > 1 )) && _describe -t values value values
      ;;
  esac
}
if [ "$funcstack[1]" = "_svc" ]; then
  _svc "$@"
else
  compdef _svc svc
fi
`;

const fish = `# fish completion for svc; load it with: svc completion fish | source
# or keep it: mkdir -p ~/.config/fish/completions && svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_completion
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (svc completion suggest -- $words[2..-1] "$current" 2>/dev/null)
    set -l prefix (string match -r -- '^--[^=]+=' "$current")
    set -l rest (string replace -r -- '^--[^=]+=' '' "$current")
    switch "$lines[1]"
        case files
            set lines - (__fish_complete_path "$rest")
        case folders
            set lines - (__fish_complete_directories "$rest")
    end
    for line in $lines[2..-1]
        printf '%s\\n' "$prefix$line"
    end
end
complete -c svc -f -a '(__svc_completion)'
`;

export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };

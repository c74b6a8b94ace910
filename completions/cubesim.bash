# Completion of cubesim for bash.

_cubesim_products() {
    local names
    names=$(cubesim products 2>/dev/null | awk '/^ascend/ {print $1; if ($2 != "-") print $2}')
    COMPREPLY=($(compgen -W "$names" -- "$1"))
}

_cubesim_mnemonics() {
    local names
    names=$(cubesim isa 2>/dev/null | awk '/^mnemonic/ {listed = 1; next} /^$/ {if (listed) exit}
        listed && /^[a-z]/ {print $1}')
    COMPREPLY=($(compgen -W "$names" -- "$1"))
}

_cubesim() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} options=

    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "check lower run show export diff net sensitivity products isa validate help --help --version" -- "$word"))
        return
    fi
    case $before in
        --product) _cubesim_products "$word"; return ;;
        --rules) COMPREPLY=($(compgen -W "pypto document strict vendor" -- "$word")); return ;;
        --match) COMPREPLY=($(compgen -W "tiling plan problem" -- "$word")); return ;;
        --timeline) COMPREPLY=($(compgen -W "all core0 none" -- "$word")); return ;;
        --advice) COMPREPLY=($(compgen -W "none some all" -- "$word")); return ;;
        --hazards) COMPREPLY=($(compgen -W "off warn error" -- "$word")); return ;;
        --format) COMPREPLY=($(compgen -W "chrome csv html instr_exe pipe svg" -- "$word")); return ;;
        --dtype) COMPREPLY=($(compgen -W "fp16 bf16 fp32 int8 fp8_e4m3 fp8_e5m2 hif8" -- "$word")); return ;;
        --timebase) COMPREPLY=($(compgen -W "ns cycle" -- "$word")); return ;;
        --diff | --batch | --cores | --core | --seed | --set | --from | --to | --width | --fail-on | --set-a | --set-b) return ;;
    esac
    case $command in
        check) options="--product --rules --set --json --help" ;;
        lower) options="--product --rules --set --core --help" ;;
        run) options="--product --rules --cores --db --timeline --timing-only --seed --input --weight
            --bias --output --verify --hazards --advice --set --json --help" ;;
        show) options="--core --from --to --width --help" ;;
        export) options="--format --output --core --from --to --timebase --diff --help" ;;
        diff) options="--fail-on --set-a --set-b --match --json --help" ;;
        net) options="--product --batch --dtype --set --rules --db --json --help" ;;
        products)
            options="--json --help"
            [[ $word == -* ]] || { _cubesim_products "$word"; return; }
            ;;
        isa)
            options="--json --markdown --help"
            [[ $word == -* ]] || { _cubesim_mnemonics "$word"; return; }
            ;;
        sensitivity) options="--product --rules --cores --set --json --help" ;;
        validate) options="--set --json --help" ;;
        help) COMPREPLY=($(compgen -W "check lower run show export diff net sensitivity products isa validate metrics" -- "$word")); return ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        compopt -o filenames
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}

complete -F _cubesim cubesim

# Sourced by cases of aiepair: functions that write a stream of AI Engine events.
# shellcheck shell=bash

core() { printf '##process\t%s\t%s\n' "${1-0}" "${2-core_trace for tile0,2}"; } # [PID [NAME]]
columns() { printf '#ts\tname\tph\tpid\n'; }
tile() { core && columns; } # the head of a trace with one of them

# Events of a process, 0 unless said; an INSTR_EVENT lasts a cycle.
begin() { printf "%s\tINSTR_EVENT_0\t%s\t${2-0}\n" "$1" B "$(($1 + 1))" E; }              # CYCLE [PID]
end() { printf "%s\tINSTR_EVENT_1\t%s\t${2-0}\n" "$(($1 - 1))" B "$1" E; }                # CYCLE [PID]
kernel() { begin "$1" "${3-0}" && end "$2" "${3-0}"; }                                    # FROM TO [PID]
stall() { printf "%s\tLOCK_STALL\t%s\t${3-0}\n" "$1" B "$2" E; }                          # FROM TO [PID]

# aiepair for a small product on one tile, of which one iteration is expected.
pair() { aiepair --M=8 --K=8 --N=8 --row=1 --col=1 --warmup=0 --iterations=1 "$@"; }

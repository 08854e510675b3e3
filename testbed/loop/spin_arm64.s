#include "textflag.h"

// func spin(turns uint64)
TEXT ·spin(SB), NOSPLIT, $0-8
	MOVD turns+0(FP), R0
turn:
	SUBS $1, R0
	BNE  turn
	RET

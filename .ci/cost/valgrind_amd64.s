#include "textflag.h"

// func request(args *[6]uint64)
//
// It is a client request as in valgrind.h: without valgrind these instructions change nothing.
TEXT ·request(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	XORL DX, DX // the result without valgrind
	ROLQ $3, DI
	ROLQ $13, DI
	ROLQ $61, DI
	ROLQ $51, DI
	XCHGQ BX, BX
	RET

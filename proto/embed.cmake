# cmake -DINPUT=file -DOUTPUT=file.c -DHEADER=include -DNAME=symbol -P embed.cmake
# Writes the bytes of a file as a C array, `NAME[]` and `NAME_bytes`.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],))" "\\1\n" bytes
	"${bytes}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\n\nconst uint8_t ${NAME}[] = {\n${bytes}\n};\n"
	"const size_t ${NAME}_bytes = sizeof(${NAME});\n")

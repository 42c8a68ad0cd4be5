# The command and the installed library against the real daemon.
set(sanitizer_flags -g)
if(COLLIDED_SANITIZE)
	set(sanitizer_flags "-g -fsanitize=${COLLIDED_SANITIZE}")
endif()
function(client_test name)
	add_test(NAME client_${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/integration/client_${name}.sh $<TARGET_FILE:collided> ${ARGN})
	set_tests_properties(client_${name} PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
endfunction()

client_test(command $<TARGET_FILE:collide>)
client_test(same $<TARGET_FILE:collide>)
client_test(install ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER} "${sanitizer_flags}")

# A client nobody here wrote: Debian's python3-protobuf against the real daemon, one ctest entry per class.
set(outside_python /usr/bin/python3)
foreach(class Physics Conversation BadInput Described Example)
	string(TOLOWER ${class} name)
	add_test(NAME outside_${name} COMMAND ${outside_python} -B ${CMAKE_CURRENT_LIST_DIR}/outside_client.py
		$<TARGET_FILE:collided> ${CMAKE_SOURCE_DIR}/proto ${class})
	set_tests_properties(outside_${name} PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
endforeach()

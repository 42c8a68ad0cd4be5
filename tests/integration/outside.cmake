# A client nobody here wrote: Debian's python3-protobuf against the real daemon, one ctest entry per file.
foreach(module physics conversation bad_input schema)
	add_test(NAME outside_${module} COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/outside_client.py
		$<TARGET_FILE:collided> ${CMAKE_SOURCE_DIR}/proto ${module})
	set_tests_properties(outside_${module} PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
endforeach()

# Under ThreadSanitizer few random rounds, as threads are the same in each. Of outside_follow, which compares followers of one thread,
# sanitizers have what is about the daemon. Release has the whole, also more of what paths and within follow, of which
# AddressSanitizer has few. What many runs of a greedy client leave to others takes long until it is counted: Release counts it.
# ThreadSanitizer has long ticks and what is told to those in excess, AddressSanitizer the latter.
if(COLLIDED_SANITIZE MATCHES thread)
	set(outside_few readers)
	set(outside_tests_shares Shares Full FullAndBusy)
elseif(COLLIDED_SANITIZE)
	set(outside_few paths within)
	set(outside_tests_shares Full FullAndBusy)
endif()
if(COLLIDED_SANITIZE)
	set(outside_tests_follow Follow.test_legs_are_an_encoding)
	list(APPEND outside_few shares)
endif()

# A client that is not ours: Debian's python3-protobuf against the real daemon, one ctest entry per file.
foreach(module physics events conversation bad_input schema detect bad_queries query snapshot relations shares operator worlds commands handover worlds_abuse worlds_trouble old paths within limited coded readers follow certify game past forks self_check records rights worlds_limits)
	add_test(NAME outside_${module} COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/outside_client.py
		$<TARGET_FILE:collided> ${CMAKE_SOURCE_DIR}/proto ${module} ${outside_tests_${module}})
	set_tests_properties(outside_${module} PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long} COST 100)
	if(module STREQUAL follow AND NOT COLLIDED_SANITIZE)
		set_tests_properties(outside_follow PROPERTIES LABELS "integration;heavy" ENVIRONMENT COLLIDE_FOLLOW_TICKS=300)
	endif()
	if(module STREQUAL shares AND NOT COLLIDED_SANITIZE)
		set_tests_properties(outside_shares PROPERTIES LABELS "integration;heavy")
	endif()
	if(module IN_LIST outside_few)
		set_tests_properties(outside_${module} PROPERTIES ENVIRONMENT OUTSIDE_FEW=1)
	endif()
endforeach()
# Streams of 300 ticks in every run, twice as long ones under `stress`.
if(NOT COLLIDED_SANITIZE)
	add_test(NAME stress_outside_follow COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/outside_client.py
		$<TARGET_FILE:collided> ${CMAKE_SOURCE_DIR}/proto follow)
	set_tests_properties(stress_outside_follow PROPERTIES LABELS stress TIMEOUT ${collided_timeout_long})
endif()

# Python with libcollide-mirror. A sanitizer must be loaded before it, if that can be; the one of threads cannot.
add_test(NAME outside_tutorials COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/outside_client.py
	$<TARGET_FILE:collided> ${CMAKE_SOURCE_DIR}/proto tutorials)
set_tests_properties(outside_tutorials PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
if(NOT COLLIDED_SANITIZE)
	set_tests_properties(outside_tutorials PROPERTIES ENVIRONMENT "LIBCOLLIDE_MIRROR=$<TARGET_FILE:collide_mirror_shared>")
elseif(COLLIDED_SANITIZE MATCHES address AND CMAKE_C_COMPILER_ID STREQUAL GNU)
	execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan_library OUTPUT_STRIP_TRAILING_WHITESPACE)
	set_tests_properties(outside_tutorials PROPERTIES ENVIRONMENT
		"LIBCOLLIDE_MIRROR=$<TARGET_FILE:collide_mirror_shared>;LIBCOLLIDE_PRELOAD=${asan_library}")
endif()

# What is set back is the wall clock of that daemon alone. A sanitizer's library would have to come before this one.
add_library(fake_wall MODULE ${CMAKE_CURRENT_LIST_DIR}/fake_wall.c)
target_link_libraries(fake_wall PRIVATE collided_options)
if(NOT COLLIDED_SANITIZE)
	add_test(NAME outside_wall_clock COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/outside_client.py
		$<TARGET_FILE:collided> ${CMAKE_SOURCE_DIR}/proto wall_clock)
	set_tests_properties(outside_wall_clock PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long}
		ENVIRONMENT FAKE_WALL=$<TARGET_FILE:fake_wall>)
endif()

# Measures memory, which a sanitizer has another idea of.
add_test(NAME outside_bounds COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/outside_client.py
	$<TARGET_FILE:collided> ${CMAKE_SOURCE_DIR}/proto bounds)
set_tests_properties(outside_bounds PROPERTIES LABELS "integration;memory" TIMEOUT ${collided_timeout_long})

# The README's scene, as it stands there.
add_test(NAME outside_scene COMMAND collide run --local --ticks 300 --every 300 --certify --format none
	${CMAKE_CURRENT_LIST_DIR}/outside_example.json)
set_tests_properties(outside_scene PROPERTIES LABELS integration TIMEOUT ${collided_timeout})

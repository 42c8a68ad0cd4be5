# The command and the installed library against the real daemon.
set(sanitizer_flags -g)
if(COLLIDED_SANITIZE)
	set(sanitizer_flags "-g -fsanitize=${COLLIDED_SANITIZE}")
endif()
function(client_test name)
	add_test(NAME client_${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/integration/client_${name}.sh $<TARGET_FILE:collided> ${ARGN})
	set_tests_properties(client_${name} PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long} COST 100)
endfunction()

client_test(command $<TARGET_FILE:collide>)
client_test(same $<TARGET_FILE:collide>)
client_test(workers $<TARGET_FILE:collide>)
client_test(large $<TARGET_FILE:collide>)
# What these compare is the same with sanitizers, under which client_examples has runs of all kinds, with a daemon and without.
set_tests_properties(client_same client_workers client_large PROPERTIES LABELS "integration;heavy")
# A million circles, the most that a daemon takes by default, for two ticks.
add_test(NAME stress_client_million COMMAND sh ${CMAKE_SOURCE_DIR}/tests/integration/client_large.sh $<TARGET_FILE:collided>
	$<TARGET_FILE:collide> 1000000 2 640)
set_tests_properties(stress_client_million PROPERTIES LABELS stress TIMEOUT 1800)
client_test(record $<TARGET_FILE:collide>)
client_test(snapshot $<TARGET_FILE:collide>)
client_test(worlds $<TARGET_FILE:collide> $<TARGET_FILE:collide_example_seat>)
client_test(shot $<TARGET_FILE:collide_example_shot>)
client_test(paths $<TARGET_FILE:collide_example_paths>)
client_test(predict $<TARGET_FILE:collide_example_predict> $<TARGET_FILE:collide_example_lockstep> $<TARGET_FILE:collide>)
client_test(world_recording $<TARGET_FILE:collide>)
add_test(NAME client_world_replay COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/client_world_replay.py
	$<TARGET_FILE:collided> $<TARGET_FILE:collide>)
set_tests_properties(client_world_replay PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
client_test(examples $<TARGET_FILE:collide>)
client_test(settings ${CMAKE_SOURCE_DIR})
client_test(version $<TARGET_FILE:collide> ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
client_test(install ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER} "${sanitizer_flags}")

# What the command makes and reads, seen by Debian's python3-protobuf.
add_test(NAME outside_recording COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/outside_recording.py
	$<TARGET_FILE:collided> $<TARGET_FILE:collide> ${CMAKE_SOURCE_DIR}/proto)
set_tests_properties(outside_recording PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
add_test(NAME outside_command COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/outside_command.py
	$<TARGET_FILE:collided> $<TARGET_FILE:collide>)
set_tests_properties(outside_command PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
add_test(NAME outside_wrong COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/outside_wrong.py
	$<TARGET_FILE:collided> $<TARGET_FILE:collide>)
set_tests_properties(outside_wrong PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
add_test(NAME outside_json COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/outside_json.py
	$<TARGET_FILE:collided> $<TARGET_FILE:collide> ${CMAKE_SOURCE_DIR}/proto)
set_tests_properties(outside_json PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
add_test(NAME outside_manual COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/outside_manual.py
	$<TARGET_FILE:collide> $<TARGET_FILE:collided> ${CMAKE_BINARY_DIR}/share ${CMAKE_SOURCE_DIR}/proto)
set_tests_properties(outside_manual PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
add_test(NAME outside_bench COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/outside_bench.py
	$<TARGET_FILE:collided> $<TARGET_FILE:collide>)
set_tests_properties(outside_bench PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
add_test(NAME outside_check COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/outside_check.py
	$<TARGET_FILE:collided> $<TARGET_FILE:collide>)
set_tests_properties(outside_check PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
add_test(NAME outside_tiled COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/outside_tiled.py
	$<TARGET_FILE:collided> $<TARGET_FILE:collide>)
set_tests_properties(outside_tiled PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})
add_test(NAME outside_gen COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/outside_gen.py
	$<TARGET_FILE:collided> $<TARGET_FILE:collide>)
set_tests_properties(outside_gen PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long})

# Every command that the pages show.
add_test(NAME docs_commands COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/docs_commands.py ${CMAKE_SOURCE_DIR}
	${CMAKE_BINARY_DIR}/bin)
set_tests_properties(docs_commands PROPERTIES LABELS "property;heavy" TIMEOUT ${collided_timeout_long} COST 300)
# The first command of a newcomer, with a build of its own.
add_test(NAME dev_demo COMMAND sh ${CMAKE_SOURCE_DIR}/tests/integration/dev_demo.sh ${CMAKE_SOURCE_DIR})
set_tests_properties(dev_demo PROPERTIES LABELS "integration;heavy" TIMEOUT ${collided_timeout_long} SKIP_RETURN_CODE 77
	COST 300)
# The moving scene in a pseudo terminal; in files, by other decoders than ours.
add_test(NAME client_view COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/client_view.py $<TARGET_FILE:collide>
	$<TARGET_FILE:collided>)
add_test(NAME client_render COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/integration/client_render.py $<TARGET_FILE:collide>)
set_tests_properties(client_view client_render PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long} SKIP_RETURN_CODE 77)
# Pages in Node, and in a browser. Both say so where there is none.
set(node_or_skip sh ${CMAKE_SOURCE_DIR}/tests/integration/node_or_skip.sh)
add_test(NAME client_page COMMAND ${node_or_skip} ${CMAKE_SOURCE_DIR}/tests/integration/node/page_paths.js $<TARGET_FILE:collide>)
set_tests_properties(client_page PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long} SKIP_RETURN_CODE 77)
add_test(NAME client_browser COMMAND ${node_or_skip} ${CMAKE_SOURCE_DIR}/tests/integration/node/page_browser.js $<TARGET_FILE:collide>)
set_tests_properties(client_browser PROPERTIES LABELS "integration;heavy" TIMEOUT ${collided_timeout_long} SKIP_RETURN_CODE 77)
# The page of the demo: below 2 MB, and exact.
add_test(NAME stress_client_page_demo COMMAND sh ${CMAKE_SOURCE_DIR}/tests/integration/client_page_demo.sh $<TARGET_FILE:collide>)
set_tests_properties(stress_client_page_demo PROPERTIES LABELS stress TIMEOUT 1800 SKIP_RETURN_CODE 77)

# Every sentence of docs/gallery.md, without drawing; the pictures of docs are those of today's runs.
add_test(NAME gallery COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/docs/gallery/gallery.py $<TARGET_FILE:collide>)
set_tests_properties(gallery PROPERTIES LABELS "property;heavy" TIMEOUT ${collided_timeout_long})

# These try compressed recordings, unless the command was built without zstd: then, what it says of them.
if(NOT COLLIDED_ZSTD)
	set_property(TEST client_view client_world_replay outside_wrong APPEND PROPERTY ENVIRONMENT TESTS_ZSTD=OFF)
endif()

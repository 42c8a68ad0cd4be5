# A second client that is not ours: @bufbuild/protobuf in Node, without generated code. npm brings it into the build folder.
set(node_folder ${CMAKE_CURRENT_LIST_DIR}/node)
set(node_run sh ${node_folder}/run.sh ${CMAKE_BINARY_DIR}/node)

add_test(NAME node_packages COMMAND ${node_run} install)
add_test(NAME outside_node COMMAND ${node_run} ${node_folder}/outside_node.js $<TARGET_FILE:collided>)
add_test(NAME outside_node_golden COMMAND ${node_run} ${node_folder}/outside_golden.js ${CMAKE_SOURCE_DIR}/tests/golden
	${CMAKE_BINARY_DIR}/proto/generated/descriptor_set.bin)
add_test(NAME outside_node_json COMMAND ${node_run} ${node_folder}/outside_json.js $<TARGET_FILE:collide>
	${CMAKE_BINARY_DIR}/proto/generated/descriptor_set.bin)
set_tests_properties(node_packages outside_node outside_node_golden outside_node_json PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(node_packages PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long} FIXTURES_SETUP node_packages)
set_tests_properties(outside_node outside_node_golden outside_node_json PROPERTIES LABELS integration TIMEOUT ${collided_timeout_long}
	FIXTURES_REQUIRED node_packages)

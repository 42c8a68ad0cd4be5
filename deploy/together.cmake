# together.cmake: compiles up to 16 files of a target as one, so that what they include is read once (CMake's unity builds). With
# COLLIDED_DEMO only. Which files may stand together is for together.awk to say, whenever CMake is run.

file(GLOB_RECURSE together_headers ${CMAKE_SOURCE_DIR}/server/*.h ${CMAKE_SOURCE_DIR}/client/*.h)

function(together_target target)
	get_target_property(folder ${target} SOURCE_DIR)
	get_target_property(sources ${target} SOURCES)
	set(files)
	foreach(source IN LISTS sources)
		cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} OUTPUT_VARIABLE file)
		if(file MATCHES "\\.c$" AND EXISTS ${file})
			list(APPEND files ${file})
		endif()
	endforeach()
	execute_process(COMMAND awk -f ${CMAKE_SOURCE_DIR}/deploy/together.awk ${together_headers} ${files}
		OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
	string(REPLACE "\n" ";" lines "${lines}")
	foreach(line IN LISTS lines)
		string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
		set_source_files_properties(${CMAKE_MATCH_2} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
	endforeach()
	set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(together_folder folder)
	get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
	foreach(target IN LISTS targets)
		get_target_property(type ${target} TYPE)
		if(type MATCHES "^(STATIC|SHARED|OBJECT)_LIBRARY$|^EXECUTABLE$")
			together_target(${target})
		endif()
	endforeach()
	get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
	foreach(inner IN LISTS folders)
		together_folder(${inner})
	endforeach()
endfunction()

together_folder(${CMAKE_SOURCE_DIR}/server)
together_folder(${CMAKE_SOURCE_DIR}/client)

# What a demo spends its time in.
foreach(target collided_physics collided_certificate collide_cli_motion collide_cli_picture collide_cli_drawing)
	if(TARGET ${target})
		target_compile_options(${target} PRIVATE -O1)
	endif()
endforeach()

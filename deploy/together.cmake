# together.cmake: compiles up to 16 files of a target as one, so that what they include is read once (CMake's unity builds). With
# COLLIDED_DEMO and COLLIDED_TOGETHER only. Which files may stand together is for together.awk to say, whenever CMake is run.

file(GLOB_RECURSE together_headers ${CMAKE_SOURCE_DIR}/server/*.h ${CMAKE_SOURCE_DIR}/client/*.h ${CMAKE_SOURCE_DIR}/tests/*.h)

# What awk reads: of each target its name, and its files.
set(together_files)

macro(together_target target)
	get_target_property(sources ${target} SOURCES)
	list(APPEND together_files target=${target})
	foreach(source IN LISTS sources)
		cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} OUTPUT_VARIABLE file)
		if(file MATCHES "\\.c$" AND EXISTS ${file})
			list(APPEND together_files ${file})
		endif()
	endforeach()
	set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endmacro()

# together_folder(FOLDER TYPES): its targets of the types that match, and those of the folders in it.
function(together_folder folder types)
	get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
	foreach(target IN LISTS targets)
		get_target_property(type ${target} TYPE)
		if(type MATCHES "${types}")
			together_target(${target})
		endif()
	endforeach()
	get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
	foreach(inner IN LISTS folders)
		together_folder(${inner} "${types}")
	endforeach()
	set(together_files ${together_files} PARENT_SCOPE)
endfunction()

set(together_libraries "^(STATIC|SHARED|OBJECT)_LIBRARY$")
together_folder(${CMAKE_SOURCE_DIR}/server "${together_libraries}|^EXECUTABLE$")
together_folder(${CMAKE_SOURCE_DIR}/client "${together_libraries}|^EXECUTABLE$")
# Most programs of tests have a file of their own, and little else.
if(BUILD_TESTING)
	together_folder(${CMAKE_SOURCE_DIR}/tests ${together_libraries})
endif()
execute_process(COMMAND awk -f ${CMAKE_SOURCE_DIR}/deploy/together.awk ${together_headers} ${together_files}
	OUTPUT_VARIABLE together_lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" together_lines "${together_lines}")
foreach(line IN LISTS together_lines)
	string(REGEX MATCH "^([^ ]+) ([0-9]+) (.*)$" line "${line}")
	set_source_files_properties(${CMAKE_MATCH_3} TARGET_DIRECTORY ${CMAKE_MATCH_1} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_2})
endforeach()

# What a demo spends its time in.
if(COLLIDED_DEMO)
	foreach(target collided_physics collided_certificate collide_cli_motion collide_cli_picture collide_cli_drawing)
		if(TARGET ${target})
			target_compile_options(${target} PRIVATE -O1)
		endif()
	endforeach()
endif()

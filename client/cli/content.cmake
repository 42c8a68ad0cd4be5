# The content side of `collide`: scene files, generators, the importer and pictures, as a library that the command and the
# tests share.
set(CONTENT_SOURCES
	json_places.c message_json.c scalar_json.c scene_json.c suggest.c
	options.c output.c packing.c random.c scene_build.c
	gen.c gen_crowds.c gen_games.c gen_gas.c gen_place.c gen_table.c
	wad.c map_region.c import.c import_scene.c import_tiled.c tiled.c tiled_property.c tiled_shape.c
	picture.c picture_scene.c)
if(COLLIDED_PICTURES)
	list(APPEND CONTENT_SOURCES picture_view.c picture_colour.c picture_draw.c picture_ways.c picture_write.c)
else()
	list(APPEND CONTENT_SOURCES picture_none.c)
endif()
list(TRANSFORM CONTENT_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
set(CONTENT_LIBS collide_content)

if(NOT TARGET collide_content)
	add_library(collide_content STATIC ${CONTENT_SOURCES})
	target_link_libraries(collide_content PUBLIC collide_proto PkgConfig::JANSSON PRIVATE collided_options
		$<TARGET_NAME_IF_EXISTS:PkgConfig::CAIRO> m)
	target_include_directories(collide_content PUBLIC ${CMAKE_SOURCE_DIR})
endif()

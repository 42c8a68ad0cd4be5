# Debian packages (./dev deb): collided, collide, libcollide-dev and the shared libraries, from the install rules by their components.
# Their version is the project's, what they depend on is found by dpkg-shlibdeps. The preset `package` configures for /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL collided collide libcollide_runtime libcollide)
# As their soname: those of two minor versions can be installed side by side.
set(runtime_package libcollide${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_PACKAGE_NAME collided)
set(CPACK_PACKAGE_VENDOR "The collided authors")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The collided authors <collided@localhost>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Each description below begins with its own line for lists. CPack puts this one before it, unless it is CPack's default.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")

set(CPACK_COMPONENT_COLLIDED_DESCRIPTION "physics daemon for circles and walls in the plane
Steps scenes of moving circles and walls for clients over TCP, in protobuf,
and reports every collision with its exact time. Nothing tunnels, nothing
overlaps, and the results have the same bits on every machine.")
set(CPACK_DEBIAN_COLLIDED_PACKAGE_NAME collided)
set(CPACK_DEBIAN_COLLIDED_PACKAGE_SECTION net)
set(CPACK_DEBIAN_COLLIDED_PACKAGE_SUGGESTS collide)
set(CPACK_DEBIAN_COLLIDED_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/deploy/debian/conffiles
	${CMAKE_SOURCE_DIR}/deploy/debian/postinst ${CMAKE_SOURCE_DIR}/deploy/debian/prerm ${CMAKE_SOURCE_DIR}/deploy/debian/postrm)

set(CPACK_COMPONENT_COLLIDE_DESCRIPTION "command for the physics daemon collided
Makes, checks, runs, draws and records scenes of circles and walls, in its own
process or in a daemon; measures daemons under load.")
set(CPACK_DEBIAN_COLLIDE_PACKAGE_NAME collide)
set(CPACK_DEBIAN_COLLIDE_PACKAGE_SECTION net)
set(CPACK_DEBIAN_COLLIDE_PACKAGE_RECOMMENDS fonts-dejavu-core)
set(CPACK_DEBIAN_COLLIDE_PACKAGE_SUGGESTS collided)

set(CPACK_COMPONENT_LIBCOLLIDE_RUNTIME_DESCRIPTION "shared client libraries of the physics daemon collided
libcollide, which talks to a daemon, and libcollide-mirror, which has the
engine too. Programs in other languages load the latter by themselves.")
set(CPACK_DEBIAN_LIBCOLLIDE_RUNTIME_PACKAGE_NAME ${runtime_package})
set(CPACK_DEBIAN_LIBCOLLIDE_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBCOLLIDE_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/deploy/debian/triggers)

set(CPACK_COMPONENT_LIBCOLLIDE_DESCRIPTION "client library of the physics daemon collided: development
Headers, static libraries, pkg-config files, CMake package, and the
protocol's definition for other languages.")
set(CPACK_DEBIAN_LIBCOLLIDE_PACKAGE_NAME libcollide-dev)
set(CPACK_DEBIAN_LIBCOLLIDE_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBCOLLIDE_PACKAGE_DEPENDS "${runtime_package} (= ${PROJECT_VERSION}), libprotobuf-c-dev, libc6-dev")

# What belongs to the machine and not below a prefix.
if(COLLIDED_PACKAGE)
	install(FILES deploy/collided.service DESTINATION /usr/lib/systemd/system COMPONENT collided)
	install(FILES deploy/debian/collided.conf DESTINATION /etc/collided COMPONENT collided)
	set(package_names collided collide ${runtime_package} libcollide-dev)
	foreach(component package IN ZIP_LISTS CPACK_COMPONENTS_ALL package_names)
		install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
		install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
	endforeach()
endif()
include(CPack)

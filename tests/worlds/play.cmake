# All of server/worlds in one thread, from one seed: a few in the unit run, more under sanitizers, 20,000 seeds as users run it, a
# million under stress.
set(plays 200)
if(COLLIDED_SANITIZE)
	set(plays 1000)
endif()
collided_test(test_worlds_play SOURCES test_worlds_play.c play_forks.c play_memory.c play_model.c play_moments.c play_outside.c play_players.c play_readers.c play_records.c play_worlds.c LABEL unit
	LIBS collided_worlds_registry collide_mirror ARGS 1 ${plays})
collided_failing(test_worlds_play)
add_test(NAME worlds_play COMMAND test_worlds_play 1 20000)
set_tests_properties(worlds_play PROPERTIES LABELS "property;heavy" TIMEOUT ${collided_timeout} COST 180)
# Seeds that have failed, and that no other test of these plays.
add_test(NAME worlds_play_found COMMAND test_worlds_play 1503182 1)
set_tests_properties(worlds_play_found PROPERTIES LABELS unit TIMEOUT ${collided_timeout})
collided_long(test_worlds_play)
add_test(NAME stress_worlds_play COMMAND test_worlds_play 1000001 1000000)
set_tests_properties(stress_worlds_play PROPERTIES LABELS stress TIMEOUT 3600)

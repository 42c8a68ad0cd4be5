# All of server/worlds in one thread, from one seed: some under sanitizers, 20,000 seeds as users run it, a million under stress.
collided_test(test_worlds_play SOURCES test_worlds_play.c play_forks.c play_model.c play_moments.c play_outside.c play_players.c play_readers.c play_records.c play_worlds.c LABEL unit
	LIBS collided_worlds_registry collide_mirror ARGS 1 2000)
add_test(NAME worlds_play COMMAND test_worlds_play 1 20000)
set_tests_properties(worlds_play PROPERTIES LABELS "property;heavy" TIMEOUT 180)
add_test(NAME stress_worlds_play COMMAND test_worlds_play 1000001 1000000)
set_tests_properties(stress_worlds_play PROPERTIES LABELS stress TIMEOUT 3600)

// Nothing but what the plug-in makes: that it compiles is the test.

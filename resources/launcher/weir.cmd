@echo off
rem The installed `weir` command: runs the command line on the desktop app's own runtime.
setlocal
set ELECTRON_RUN_AS_NODE=1
"%~dp0..\..\Weir.exe" "%~dp0..\app.asar.unpacked\out\main\cli.js" %*
exit /b %ERRORLEVEL%

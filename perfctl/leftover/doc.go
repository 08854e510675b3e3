// Package leftover sees to it that a run leaves nothing behind, however it
// ends. A run that makes folders or starts servers first writes down what it is
// about to make (a [Journal]); when it was killed, the next run reads that and
// ends and removes what it can prove to be the dead run's own ([Clear]).
//
// What is proved, and how:
//
//   - The owner is dead: it held a lock (man flock.2) on its journal for its
//     life, and nobody holds it now; besides, no process has its pid and start
//     time.
//   - A process is the owner's: it was written down with its start time, or it
//     has the run's random token in its environment and started after the owner;
//     and its command line, its working directory or a variable of its
//     environment ([Journal.Variables]) names the run's data folder.
//   - A folder is the owner's: the journal names it, this user owns it, and it
//     holds a file with the same token.
//
// Whatever lacks one of these is left alone. The package must not know what the
// processes and folders are for, and asks nothing of what it did not make.
package leftover

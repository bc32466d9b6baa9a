/** PATH of every child process: where Debian's packages put programs. Children do not inherit ours, nor our secrets. */
export const CHILD_PATH = '/usr/local/bin:/usr/bin:/bin'

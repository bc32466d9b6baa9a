/**
 * Chromium without the window and the services of a desktop browser: the same pages, media and protocol for half the CPU
 * time. Tests that ask about the browser itself, and one whole run of each platform's promises, use the bot's own.
 */
export const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'

/**
 * English wording of the page, which the driver asks for in English. Expressions match text with straight apostrophes,
 * three dots for an ellipsis and plain spaces. Texts of notifications are not needed: a notification has the key of its
 * text.
 */
import type { Words } from '../../shared/words.ts'

export const ENGLISH = {
  states: {
    removed: [/\bkicked you out of the meeting\b/, /\byou were kicked out of the meeting\b/],
    lobby_closed: [/\blobby room (?:has been )?closed\b/],
    time_limit: [/\breached its time limit\b/, /^meeting time limit reached\b/],
    ended_for_all: [/\bmeeting has been terminated\b/, /^call terminated\b/],
    reconnecting: [/^you have been disconnected\b/],
    reloading: [/^unfortunately, something went wrong\b/],
    suspended: [/^your video call was interrupted because this computer went to sleep\b/],
    deep_link: [/^launching your meeting\b/],
  },
  dialogs: {
    waiting_for_host: [/^waiting for (?:a moderator|the host)\b/],
    password: [/^password required\b/],
    login: [/^authentication required\b/],
    consent: [/^recording in progress\b/],
    feedback: [/^rate your meeting experience\b/],
    to_whom: [/^send privately\?/],
    local_name: [/^hi! what's your name\b/],
  },
  labels: {
    // Newer pages name the effect of a press, older ones name the switch and show its state beside the label.
    microphoneOn: [/^mute microphone$/],
    microphoneOff: [/^unmute microphone$/],
    microphoneSwitch: [/^mute \/ unmute$/, /^toggle mute audio$/],
    cameraOn: [/^stop camera$/],
    cameraOff: [/^start camera$/],
    cameraSwitch: [/^start \/ stop camera$/, /^toggle mute video$/],
    leave: [/^leave the (?:meeting|call)$/],
    leaveOnly: [/^leave meeting$/],
    openChat: [/^open chat$/, /^open \/ close chat$/, /^toggle chat window$/],
    closeChat: [/^close chat$/, /^open \/ close chat$/, /^toggle chat window$/],
    send: [/^send$/],
    chatDisabled: [/^sending chat messages is disabled\b/],
    launchWeb: [/^launch in web$/, /^join in browser$/],
    understood: [/^i understand, keep me muted\b/],
    waitForModerator: [/^wait for moderator$/],
    sendToAll: [/^send to the group$/],
    dismiss: [/^(?:dismiss|ok|okay|close|not now|skip)$/],
  },
} satisfies Words

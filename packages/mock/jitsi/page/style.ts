/** Looks enough like the real page for people who test by hand, and for pictures. */
import { h } from '../../shared/page/dom.ts'

const STYLES = `
* { box-sizing: border-box }
html, body, #react { margin: 0; height: 100%; overflow: hidden; background: #040404; color: #fff; font: 15px/1.4 -apple-system, 'Segoe UI', Roboto, sans-serif }
[hidden] { display: none !important }
.sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) }
.loading-spinner, .spinner { width: 48px; height: 48px; margin: 24px auto; border: 4px solid #444; border-top-color: #4687ed; border-radius: 50% }
.button, .action-btn { border: 0; border-radius: 6px; padding: 10px 18px; background: #525252; color: #fff; cursor: pointer; text-align: center }
.action-btn.primary, #modal-dialog-ok-button { background: #246fe5 }
[aria-disabled=true] { opacity: .45; cursor: default }
.premeeting-screen { position: fixed; inset: 0; display: flex; background: #1e1e1e; z-index: 4 }
.premeeting-screen .content { width: 420px; display: flex; align-items: center; padding: 0 48px; background: #141414 }
.premeeting-screen .controls, .content-controls { width: 100%; display: flex; flex-direction: column; gap: 14px; text-align: center }
.premeeting-screen input, .modal input { border: 2px solid #3a3a3a; border-radius: 6px; background: #292929; color: #fff; padding: 11px; width: 100% }
.action-btn { position: relative } .options { position: absolute; right: 6px; top: 6px; padding: 4px 10px; border-left: 1px solid #fff4 }
.error { background: #cb2233; border-radius: 6px; padding: 8px }
.preview { flex: 1; display: grid; place-items: center } .preview video { width: 80% ; border-radius: 8px; background: #292929 }
.flipVideoX { transform: scaleX(-1) }
.deep-linking-desktop { display: grid; place-content: center; gap: 16px; height: 100%; text-align: center }
#layout_wrapper { display: flex; height: 100% }
#videoconference_page { position: relative; flex: 1; min-width: 0 }
#videospace, #largeVideoContainer, #largeVideoWrapper { position: absolute; inset: 0 }
#largeVideo { width: 100%; height: 100%; object-fit: contain }
.tile-view #largeVideoContainer { display: none }
.subject { position: absolute; top: 12px; left: 0; right: 0; text-align: center; z-index: 2 }
.filmstrip { position: absolute; top: 12px; bottom: 84px; right: 12px; width: 190px; overflow: hidden }
.filmstrip__videos, .remote-videos { display: flex; flex-direction: column; gap: 8px }
.tile-view .filmstrip { left: 12px; width: auto }
.tile-view .filmstrip__videos { display: grid; grid-template-columns: repeat(auto-fit, minmax(280px, 1fr)); height: 100% }
.tile-view .remote-videos { display: contents }
.videocontainer { position: relative; display: block; min-height: 106px; border-radius: 6px; overflow: hidden; background: #292929 }
.videocontainer video { width: 100%; height: 100%; object-fit: cover; display: block }
.videocontainer__video { height: 100% }
.dominant-speaker { outline: 3px solid #246fe5; outline-offset: -3px }
.avatar-container { height: 100%; min-height: 106px; display: grid; place-items: center }
.userAvatar { width: 64px; height: 64px; border-radius: 50%; display: grid; place-items: center; font-size: 28px }
.displayNameContainer { position: absolute; left: 6px; bottom: 6px; background: #0009; border-radius: 4px; padding: 0 6px }
.videocontainer__toolbar { position: absolute; right: 6px; bottom: 6px }
.audioindicator-container { position: absolute; left: 6px; top: 6px } .audioindicator { display: grid; gap: 3px }
.audioindicator span { width: 5px; height: 5px; border-radius: 50%; background: #4687ed }
.new-toolbox { position: absolute; left: 0; right: 0; bottom: 12px; display: flex; justify-content: center; z-index: 3; pointer-events: none }
.toolbox-content { pointer-events: auto } .premeeting-toolbox { display: flex; justify-content: center }
.toolbox-content-items, .device-toggles { display: flex; gap: 8px; align-items: center }
.toolbox-content-items { background: #141414; border-radius: 8px; padding: 6px }
.toolbox-button { cursor: pointer } .toolbox-icon { width: 48px; height: 48px; display: grid; place-items: center; border-radius: 6px; font-size: 20px }
.settings-button-container { position: relative } .settings-button-small-icon { position: absolute; top: -4px; right: -2px; font-size: 12px }
.toolbar-button-with-badge { position: relative } .badge-round { position: absolute; top: 0; right: 0; background: #cb2233; border-radius: 9px; padding: 0 6px; font-size: 11px }
.hangup-place { position: relative } .hangup-menu { position: absolute; right: 0; bottom: 60px; display: grid; gap: 6px; background: #292929; padding: 12px; border-radius: 6px; width: 230px }
#sideToolbarContainer { width: 315px; height: 100%; background: #141414; display: flex; flex-direction: column; padding: 12px; gap: 8px }
#chatconversation { flex: 1; overflow-y: auto } .chatmessage { background: #292929; border-radius: 6px; padding: 6px 10px; margin: 4px 0; width: fit-content; max-width: 90%; overflow-wrap: anywhere }
.chatmessage.local { background: #484a4f; margin-left: auto } .display-name { font-weight: 600 } .timestamp { font-size: 11px; opacity: .6 }
#chat-input { display: flex; gap: 6px } .smiley-input { flex: 1 } #chat-input-messagebox { width: 100%; border-radius: 6px; background: #292929; color: #fff; border: 1px solid #525252; padding: 8px }
#participants-pane { width: 315px; background: #141414; padding: 12px }
.backdrop { position: fixed; inset: 0; background: #000a; z-index: 6 }
.modal { position: fixed; left: 50%; top: 30%; width: 420px; transform: translateX(-50%); background: #141414; border: 1px solid #3a3a3a; border-radius: 8px; padding: 18px; z-index: 7 }
.modal-title { font-size: 20px; margin: 0 0 12px } .modal-body { display: grid; gap: 10px } .modal-footer { display: flex; gap: 8px; justify-content: flex-end; margin-top: 16px }
#notifications-container { position: fixed; left: 24px; bottom: 96px; width: 320px; display: grid; gap: 8px; z-index: 5 }
.notification .title { font-weight: 600 } .close-icon { position: absolute; right: 6px; top: 6px; border: 0; background: none; font-size: 18px }
.overlay__content { width: 500px; text-align: center } .reload_overlay_title { font-size: 26px } #reloadProgressBar { height: 5px; background: #246fe5; margin: 16px 0; width: 0 }
`

export function addStyles(): void {
  document.head.append(h('style', STYLES))
}

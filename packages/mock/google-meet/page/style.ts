import { iconPart } from './icons.ts'

/** The page's looks. Class names come from the load's own generator; `@part` stands for one. */

const STYLES = `
:root{color-scheme:dark}
*{box-sizing:border-box}
body{margin:0;background:#131314;color:#e8eaed;font:14px/1.4 Roboto,Arial,sans-serif;overflow:hidden}
.@app{position:fixed;inset:0}
.@page{display:flex;flex-wrap:wrap;gap:32px;align-content:center;justify-content:center;align-items:center;height:100%;padding:24px}
.@loading{display:grid;place-content:center;height:100%;text-align:center;gap:8px}
.@previewBox{position:relative;width:min(560px,90vw);aspect-ratio:16/9;background:#202124;border-radius:16px;overflow:hidden;display:flex;gap:12px;align-items:flex-end;justify-content:center;padding:12px}
.@preview{position:absolute;inset:0;width:100%;height:100%;object-fit:cover;transform:scaleX(-1)}
.@previewBox>:not(video){position:relative}
.@joinBox{display:grid;gap:16px;width:320px;text-align:center;justify-items:center;font-size:15px}
.@nameInput{width:280px;padding:14px;border:1px solid #8e918f;border-radius:4px;background:transparent;color:inherit;font:inherit}
.@joinRow{display:flex;gap:12px;flex-wrap:wrap;justify-content:center}
.@control{min-width:44px;min-height:44px;border:0;border-radius:22px;background:#333537;color:inherit;font:inherit;cursor:pointer;padding:0 12px;display:inline-flex;align-items:center;justify-content:center;gap:6px}
.@control:disabled{opacity:.45;cursor:default}
.@control:focus-visible{outline:2px solid #a8c7fa;outline-offset:2px}
.@primary{background:#0b57d0;color:#fff;padding:0 28px;font-weight:500}
.@leave{background:#dc362e;color:#fff;min-width:64px}
.@lobby{display:grid;place-content:center;justify-items:center;gap:20px;height:100%;font-size:18px;text-align:center}
.@selfPreview .@control{position:relative}
.@selfPreview{position:relative;overflow:hidden;width:280px;height:158px;border-radius:12px;background:#202124;display:grid;place-content:end}
.@endHeading{font-size:32px;font-weight:400;width:100%;text-align:center;margin:0}
.@call{position:absolute;inset:0}
.@grid{position:absolute;inset:16px 16px 88px;display:grid;gap:12px}
.@besidePanel{right:372px}
.@tile,.@shareTile{position:relative;background:#202124;border-radius:12px;overflow:hidden;min-width:0;min-height:0}
.@tileInner{position:absolute;inset:0;display:grid;place-items:center}
.@video{position:absolute;width:100%;height:100%;object-fit:cover}
.@shareTile .@video{object-fit:contain}
.@avatar{width:96px;height:96px;border-radius:50%}
.@markBase{position:absolute;inset:0;border-radius:12px;pointer-events:none;border:0 solid #a8c7fa}
.@mark1{inset:8px 8px auto auto;width:24px;height:24px;border-radius:50%}
.@speaking0{border-width:4px}.@speaking1{border-width:4.5px}.@speaking2{border-width:5px}.@speaking3{border-width:5.5px}
.@nameBar{position:absolute;left:12px;bottom:10px;right:12px;text-shadow:0 1px 2px #000;font-weight:500;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
.@nameCopy{display:none}
.@tileControls{position:absolute;inset:auto 8px 8px auto;display:flex;gap:4px;opacity:0}
.@tile:hover .@tileControls,.@shareTile:hover .@tileControls{opacity:1}
.@toolbar{position:absolute;left:50%;bottom:16px;transform:translateX(-50%);display:flex;gap:8px;transition:opacity .15s}
.@sideNav{position:absolute;right:16px;bottom:16px;display:flex;gap:8px}
.@menu{position:absolute;bottom:60px;right:0;margin:0;padding:8px 0;list-style:none;background:#2d2f31;border-radius:8px;min-width:220px;z-index:3}
.@menuItem{padding:10px 16px;cursor:pointer}
.@badge{position:absolute;top:24px;right:24px;background:#2d2f31;border-radius:20px;padding:8px 14px;display:flex;gap:6px;z-index:2;cursor:pointer}
.@badge span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.@hoverDialog{position:fixed;top:70px;right:24px;background:#2d2f31;border-radius:12px;padding:16px;z-index:4}
.@panel{position:absolute;top:16px;right:16px;bottom:88px;width:340px;background:#fff;color:#1f1f1f;border-radius:12px;padding:16px;overflow:hidden;z-index:2;display:flex;flex-direction:column;gap:8px}
.@panel[hidden]{display:none}
.@section{display:flex;justify-content:space-between}
.@peopleList{overflow:auto;flex:1}
.@personRow{height:48px;display:flex;gap:8px;align-items:center;overflow:hidden;white-space:nowrap}
.@personRow>span:first-child{overflow:hidden;text-overflow:ellipsis}
.@chat{display:flex;flex-direction:column;gap:8px;height:calc(100vh - 140px)}
.@chatList{flex:1;overflow:auto;overflow-wrap:anywhere}
.@chatMessage{padding:2px 0;white-space:pre-wrap}
.@compose{display:flex;gap:8px}
.@chatBox{flex:1;font:inherit;padding:10px;border:1px solid #8e918f;border-radius:20px;resize:none;background:#fff;color:inherit}
.@captionsPlace{position:absolute;left:16px;right:16px;bottom:88px}
.@captions{background:rgba(0,0,0,.8);border-radius:12px;padding:12px;max-height:180px;overflow:hidden}
.@captionRow{display:flex;gap:8px;margin:4px 0}
.@captionFace{width:24px;height:24px;border-radius:50%;background:#5f6368}
.@banner:not(:empty){position:absolute;top:40%;left:50%;transform:translate(-50%,-50%);background:#2d2f31;padding:24px 32px;border-radius:12px;font-size:18px;z-index:3}
.@pill:not(:empty){position:absolute;top:24px;left:24px;background:#2d2f31;padding:8px 14px;border-radius:20px;z-index:2}
.@modal{position:fixed;inset:0;display:grid;place-items:center;z-index:6}
.@scrim{position:absolute;inset:0;background:rgba(0,0,0,.6)}
.@dialog{position:relative;background:#2d2f31;padding:24px;border-radius:24px;width:min(480px,90vw);display:grid;gap:12px}
.@dialog label{display:flex;gap:8px;align-items:center}
.@persistentToast{position:fixed;left:50%;bottom:12px;transform:translateX(-50%);background:#fff;color:#1f1f1f;padding:16px 24px;border-radius:8px;z-index:5;min-width:640px}
.@toasts{position:fixed;left:24px;bottom:88px;display:grid;gap:8px;z-index:4;pointer-events:none}
.@toast{background:#f2f2f2;color:#1f1f1f;padding:12px 16px;border-radius:8px;display:flex;gap:8px;max-width:400px;overflow-wrap:anywhere}
.google-symbols{font:normal 0/1 sans-serif;display:inline-block}
.google-symbols::before{font-size:19px;content:"\\25E6"}
`

/** Stand-ins for the icon font: an icon's text stays its ligature. */
const GLYPHS: Record<string, string> = {
  mic: '●',
  mic_off: '⊘',
  videocam: '▣',
  videocam_off: '⊠',
  visual_effects: '✦',
  more_vert: '⋮',
  expand_more: '⌄',
  call_end: '✕',
  computer_arrow_up: '⇧',
  mood: '☺',
  closed_caption_off: 'CC',
  back_hand: '✋',
  chat: '✉',
  people: '☷',
  info: 'i',
  category: '△',
  keep: '⌖',
  frame_person: '◫',
  send: '➤',
  close: '×',
}

export function addStyles(cls: (part: string) => string): void {
  const glyphs = Object.entries(GLYPHS).map(([name, glyph]) => `.${cls(iconPart(name))}::before{content:"${glyph}"}`)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLES.replace(/@([a-zA-Z]+\d?)/g, (_, part: string) => cls(part)) + glyphs.join(''))
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}

/** The looks of the meeting's page. */
import { CLASS, ID } from './table.ts'

const c = (name: keyof typeof CLASS) => `.${CLASS[name]}`
const i = (name: keyof typeof ID) => `#${ID[name]}`

const STYLES = `
*{box-sizing:border-box}
body{margin:0;background:#0b0b0c;color:#f2f2f3;font:14px/1.45 Lato,Arial,sans-serif;overflow:hidden}
${c('button')}{font:inherit;border:1px solid #4c4c53;border-radius:8px;background:#2a2a2e;color:inherit;padding:6px 14px;cursor:pointer}
${c('primary')}{background:#0e72ed;border-color:#0e72ed;color:#fff}
${c('preview')}{position:fixed;inset:0;display:flex;gap:48px;align-items:center;justify-content:center;background:#16171b;padding:24px}
${c('previewCard')}{position:relative;width:min(520px,50vw);aspect-ratio:16/9;background:#000;border-radius:14px;overflow:hidden;display:grid;place-content:end center}
.preview-self{position:absolute;inset:0;width:100%;height:100%;object-fit:cover;transform:scaleX(-1)}
${c('previewControls')}{position:relative;display:flex;gap:10px;padding:14px}
${c('previewControl')}{display:grid;justify-items:center;min-width:92px;background:#242424e0;border:0;font-size:12px}
${c('previewToggle')}{position:absolute;width:16px;height:16px;border:0;background:none;color:inherit;margin:-4px 0 0 72px}
.preview-spinner{width:18px;height:18px;border:2px solid #888;border-top-color:#fff;border-radius:50%;animation:turn 1s linear infinite}
@keyframes turn{to{transform:rotate(360deg)}}
svg{width:20px;height:20px;fill:none;stroke:currentColor;stroke-width:1.8}
${c('previewInfo')}{width:320px;display:grid;gap:8px;position:relative}
${c('previewTitle')}{font-size:22px;font-weight:700;margin-bottom:8px}
${c('fieldInput')}{font:inherit;padding:10px 12px;border-radius:10px;border:1px solid #55565c;background:#1d1e22;color:inherit}
${c('join')}{height:44px;margin:8px -4px 0;background:#0e72ed;border-color:#0e72ed;color:#fff;font-weight:700}
${c('join')}.disabled{background:#37383d;border-color:#37383d;color:#8c8d92;pointer-events:none}
${c('permission')}{position:absolute;inset:0;display:grid;place-content:center;justify-items:center;gap:12px;background:#000c;z-index:40}
.classic-form{position:fixed;inset:0;display:grid;gap:12px;place-content:center;background:#fff;color:#222;width:100%}
.classic-form input{font:inherit;padding:10px;width:320px}
${i('loading')}{position:fixed;inset:0;display:grid;place-content:center;background:#16171b;font-size:20px;z-index:30}
.loading-dots{display:block;width:36px;height:36px;margin:0 auto 14px;border:3px solid #444;border-top-color:#fff;border-radius:50%;animation:turn 1.2s linear infinite}
${c('breakoutLayer')}{position:fixed;inset:0;display:grid;place-content:center;background:#16171bf2;font-size:20px;z-index:30}
${c('waiting')}{position:fixed;inset:0;display:grid;place-content:center;justify-items:center;gap:18px;text-align:center;background:#16171b}
${c('onHold')}{position:fixed;inset:0}
${c('onHoldMain')}{height:100%}
${c('oldWaiting')},${c('sdkWaiting')}{position:fixed;inset:0;display:grid;place-content:center;gap:20px;text-align:center;background:#16171b}
${c('waitingLeave')}{position:absolute;right:20px;bottom:16px;background:#e02828;border:0}
${c('waitingTip')}{font-size:20px;display:grid;gap:6px}
${c('waitingTopic')}{font-size:17px;color:#b8b9bf;margin-bottom:10px}
${c('waitingDate')}{color:#8c8d92;margin-top:8px}
${c('app')}{position:fixed;inset:0}
${c('client')},${c('clientInner')},${i('content')}{height:100%}
${i('content')}{display:flex}
${i('left')}{position:relative;flex:1;min-width:0;overflow:clip}
${i('right')}{width:400px;background:#1a1b1f;border-left:1px solid #303137;display:flex;flex-direction:column}
${c('header')}{position:absolute;inset:0 0 auto;height:48px;display:flex;justify-content:space-between;align-items:center;padding:0 12px;background:#101114;z-index:6;transition:transform .2s}
${c('headerHidden')}{transform:translateY(-48px)}
${c('footer')}{position:absolute;inset:auto 0 0;height:52px;background:#101114;z-index:6;transition:transform .2s}
${c('footerInner')}{display:flex;justify-content:space-between;height:100%;align-items:center;padding:0 8px}
[footer-section]{display:flex;gap:4px;align-items:center}
${c('footerWrap')}{position:relative;display:flex}
${c('footerButton')}{position:relative;display:grid;justify-items:center;background:none;border:0;font-size:11px;padding:4px 12px;border-radius:8px}
${c('leaveContainer')} ${c('footerButton')}{background:#e02828;color:#fff;font-size:13px;padding:8px 14px}
${c('counter')}{position:absolute;top:2px;right:16px;font-size:11px}
.footer-caret{width:12px;border:0;background:none;color:inherit}
${c('audioLevel')}{position:absolute;bottom:18px;width:6px;background:#23d160}
${c('darkDropdown')}{display:none;position:absolute;bottom:54px;right:0;list-style:none;margin:0;padding:6px 0;background:#26272c;border-radius:8px;min-width:210px;z-index:12}
${c('darkDropdown')}.show{display:block}
${i('viewDropdown')}{position:relative}
${i('viewDropdown')} ${c('viewMenu')}{display:block;bottom:auto;top:36px}
${c('dropdownItem')}{display:block;padding:7px 14px;color:inherit;text-decoration:none}
${c('viewChecked')}::before{content:"✓ "}
${i('captionSplit')}{position:absolute;inset:0;background:#000}
${i('pictures')},${i('shareLayout')}{position:absolute;inset:0}
video-player-container{position:absolute;inset:48px 8px 52px;display:flex;flex-direction:column;gap:8px;align-items:stretch}
video-player{display:block;width:100%;height:100%}
video-player video,${c('shareCanvas')}{width:100%;height:100%;object-fit:contain;display:block}
${c('speakerBarWrap')}{order:0;display:flex;gap:8px;justify-content:center;height:112px;flex:none;overflow:hidden}
${c('speakerBarFrame')}{width:199px;height:112px;flex:none}
${c('speakerActiveWrap')},.multi-speaker-main-container,.single-main-container{order:1;flex:1;min-height:0;display:flex;gap:8px}
${c('speakerActiveFrame')},${c('multiSpeaker')},${c('singleFrame')}{flex:1}
${c('gallery')}{order:1;flex:1;min-height:0;display:grid;gap:8px;grid-template-columns:repeat(var(--columns,1),1fr);grid-auto-rows:minmax(0,1fr)}
${c('gallery')}>div{min-width:0;min-height:0}
${i('sharee')}{order:2;flex:1;min-height:0}${i('sharee')}[node-id='']{position:absolute;inset:0;z-index:-1}
${c('shareViewport')}{height:100%;background:#111}
.beside-share ${c('gallery')}{flex:none;height:200px;grid-auto-flow:column;grid-template-columns:none;grid-auto-columns:minmax(0,1fr)}
${c('avatar')}{position:relative;width:100%;height:100%;background:#1c1d21;border-radius:8px;overflow:hidden}
[class*="--active"]>${c('avatar')}::after{content:"";position:absolute;inset:0;border-radius:8px;box-shadow:inset 0 0 0 3px #23d959;pointer-events:none}
${c('avatarName')}{position:absolute;inset:0;display:grid;place-content:center;font-size:26px;padding:0 12px;overflow:hidden;text-align:center}
${c('avatarImage')}{position:absolute;inset:0;margin:auto;width:96px;height:96px}
${c('avatarFooter')}{position:absolute;left:0;bottom:0;max-width:100%;padding:2px 8px;background:#0009;border-radius:0 6px 0 0;font-size:12px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
${c('avatarMuted')}::before,${c('avatarMutedPhone')}::before{content:"⊘ ";color:#ff5b4a;font-style:normal}
${c('talking')}:not(:empty){position:absolute;top:56px;left:16px;background:#000a;padding:4px 10px;border-radius:6px}
${c('galleryPages')}{order:3;align-self:center;display:flex;gap:8px;flex:none}
.panel-header{display:flex;justify-content:space-between;align-items:center;padding:10px 14px;font-weight:700}
.participants-section-container,${c('chat')},#chat{display:flex;flex-direction:column;flex:1;min-height:0}
${c('participantsList')}{flex:1;overflow-y:auto;min-height:0}
${c('participant')}{display:flex;align-items:center;gap:8px;height:44px;padding:0 14px;white-space:nowrap}
${c('participantAvatar')}{width:28px;height:28px;border-radius:8px;display:grid;place-content:center;flex:none}
${c('participantName')}{overflow:hidden;text-overflow:ellipsis}
.participants-icons{margin-left:auto;display:flex;gap:6px}
${c('lazyIcon')}{width:14px;height:14px;border:1.5px solid #9a9ba1;border-radius:4px}
${c('chatListBox')},${c('chatVirtuoso')}{flex:1;min-height:0;display:flex;flex-direction:column}
${c('chatList')}{flex:1;overflow-y:auto;min-height:0;overflow-wrap:anywhere}
${c('chatRow')}{padding:4px 14px;overflow:hidden}
${c('chatHeader')}{font-size:12px;height:20px}
${c('chatTextBox')} p,.ProseMirror p{margin:0}
.chat-rtf-box{border-top:1px solid #303137;padding:10px 14px;display:grid;gap:6px;grid-template-columns:1fr auto}
.chat-rtf-box>${i('receiver')}{grid-column:1/3}
${c('receiver')}{background:#0e72ed33;border:0;border-radius:6px;color:inherit;padding:2px 8px}
${c('editorOuter')} .ProseMirror{min-height:40px;max-height:120px;overflow:auto;outline:0;background:#26272c;border-radius:8px;padding:8px;white-space:pre-wrap;overflow-wrap:anywhere}
.ProseMirror p.is-empty::before{content:attr(data-placeholder);color:#8c8d92;position:absolute;pointer-events:none}
${c('chatWarning')}{padding:14px;color:#9a9ba1}
${c('tooltip')},${c('featureTip')}{position:fixed;right:20px;bottom:120px;background:#2d3a52;border-radius:10px;padding:12px 16px;z-index:14;display:grid;gap:8px}
${c('notifications')}{position:absolute;top:56px;left:50%;transform:translateX(-50%);z-index:999;display:grid;gap:8px;justify-items:center}
${c('notification')},${c('consentBanner')},${c('captchaToast')}{background:#2a2b31;border-radius:8px;padding:9px 16px;display:flex;gap:12px;align-items:center}
${c('captchaToast')}{position:fixed;top:16px;left:50%;z-index:60}
.ReactModal__Overlay{position:fixed;inset:0;background:#0008;display:grid;place-items:center;z-index:50}
${c('modal')}{background:#26272c;border-radius:14px;padding:22px 24px;width:min(440px,90vw);display:grid;gap:12px}
${c('modalActions')}{display:flex;gap:10px;justify-content:flex-end}
${c('leaveBar')}{position:absolute;right:8px;bottom:56px;z-index:13}
${c('leaveBar')}[hidden]{display:none}
${c('leaveOptions')}{width:248px;background:#26272c;border-radius:10px;padding:10px;display:grid;gap:8px}
${c('leaveDanger')}{background:#e02828;border-color:#e02828;color:#fff}
.live-transcription-subtitle__wrap{position:absolute;left:20%;right:20%;bottom:64px;z-index:5}
${c('captionBox')}{background:#000b;border-radius:8px;padding:6px 12px}
${c('captionBox')}--hide,${c('captionBox')}:empty{display:none}
.caption-avatar{display:inline-block;width:24px;text-align:center;background:#444;border-radius:6px;margin-right:8px}
${c('captionLanguage')}{background:#26272c;padding:14px;border-radius:10px;display:flex;gap:12px;align-items:center}
${i('lost')}{position:fixed;inset:0;display:grid;place-content:center;background:#16171b;font-size:22px;z-index:45}
.plain-page{display:grid;place-content:center;height:100vh;text-align:center}
[hidden]{display:none!important}
`

export function addStyles(): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLES)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}

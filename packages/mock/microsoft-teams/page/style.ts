/** The page's looks. Class names come from the load's own generator; `@part` stands for one. */

const STYLES = `
*{box-sizing:border-box}
body{margin:0;background:#f5f5f5;color:#242424;font:14px/1.4 "Segoe UI",Arial,sans-serif;overflow:hidden}
.@app{position:fixed;inset:0}
.@titleBar{height:32px;background:#e8ebfa}
.@screen,.@message,.@splash,.@launcher{position:absolute;inset:32px 0 0;display:flex;flex-direction:column;align-items:center;gap:12px;overflow:auto;padding:16px}
.@message,.@splash,.@launcher{justify-content:center;text-align:center}
.@spinner{width:48px;height:48px;border-radius:50%;border:5px solid #c7caf0;border-top-color:#5b5fc7}
.@launcher .btn{width:340px;margin:6px;background:#fff;border:1px solid #c7c7c7}
.@controlBlock{display:flex;flex-wrap:wrap;gap:16px;justify-content:center;max-width:760px}
.@nameBox,.@account{flex:1 0 100%;display:flex;justify-content:center;gap:8px}
.@nameInput{width:360px;padding:8px 12px;border:1px solid #d1d1d1;border-bottom-color:#616161;border-radius:4px;font:inherit;background:#fff}
.@previewBox{width:360px}
.@preview{position:relative;height:202px;background:#292929;color:#fff;border-radius:8px 8px 0 0;overflow:hidden;display:grid;place-items:center}
.@previewVideo{width:100%;height:100%;object-fit:cover;transform:scaleX(-1)}
.@videoActions{display:flex;gap:12px;align-items:center;padding:8px;background:#fff;border-radius:0 0 8px 8px}
.@sound{width:360px;background:#fff;border-radius:8px;padding:12px;display:grid;gap:10px;align-content:start}
.@radio{padding:6px 8px;border-radius:4px;cursor:pointer;font-weight:600}
.@row{display:flex;gap:8px;align-items:center;flex-wrap:wrap}
.@controlBlock>.@row{flex:1 0 100%;justify-content:center}
.@button{min-height:32px;padding:4px 12px;border:1px solid #d1d1d1;border-radius:4px;background:#fff;color:inherit;font:inherit;cursor:pointer}
.@button:disabled{opacity:.45;cursor:default}
.@primary{background:#5b5fc7;color:#fff;border-color:#5b5fc7}
.@footer{display:flex;gap:16px}
.@shroud{position:fixed;inset:0;background:rgba(245,245,245,.35);z-index:4}
.@switch{position:relative;display:inline-flex;gap:8px;align-items:center;cursor:pointer}
.@switchInput{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
.@switchTrack{width:36px;height:18px;border-radius:9px;background:#c7c7c7;position:relative}
.@switchTrack::after{content:"";position:absolute;top:2px;left:2px;width:14px;height:14px;border-radius:50%;background:#fff}
.@switchInput:checked+.@switchTrack{background:#5b5fc7}
.@switchInput:checked+.@switchTrack::after{left:20px}
.@switchInput:disabled+.@switchTrack{opacity:.4}
.@lobbyText{font-size:18px;font-weight:600;min-height:26px;overflow-wrap:anywhere;text-align:center}
.@fields{display:grid;gap:8px;width:320px}
.@fields input{padding:8px;font:inherit}
.@overlay{position:fixed;inset:0;background:rgba(0,0,0,.45);display:grid;place-items:center;z-index:8}
.@dialogFrame{position:fixed;inset:20% 25%;width:50%;height:50%;border:1px solid #888;background:#fff;z-index:8}
.@dialog{background:#fff;border-radius:8px;padding:24px;width:min(480px,90vw);display:grid;gap:12px;justify-items:start}
.@captcha{width:200px;height:60px;background:repeating-linear-gradient(45deg,#bbb,#eee 8px)}
.@call{position:absolute;inset:0;background:#1f1f1f;color:#fff}
.@toolbar{display:flex;justify-content:space-between;gap:12px;padding:8px 12px;background:#292929;min-height:56px;flex-wrap:nowrap;overflow:hidden}
.@toolbar .@row{flex-wrap:nowrap}
.@toolbar .@button{background:transparent;border-color:transparent;position:relative;display:grid;place-content:center;justify-items:center;padding:2px 8px}
.@toolbar svg{width:12px;height:4px}
.@toolbar .@leave{background:#c4314b}
.@badge{position:absolute;top:0;right:0;background:#5b5fc7;border-radius:8px;font-size:10px;padding:0 5px}
.@main{position:absolute;inset:58px 0 0;display:flex}
.@stage{position:relative;flex:1;padding:8px}
.@fill{height:100%}
.@tiles{display:grid;gap:8px;height:100%}
.@tile,.@shareTile{position:relative;background:#292929;border-radius:6px;overflow:hidden;min-width:0;min-height:0}
.@phantom{position:absolute;width:0;height:0;overflow:hidden}
.@tileContainer,.@stream,.@tileMedia{position:absolute;inset:0}
.@video{position:absolute;width:100%;height:100%;object-fit:cover}
.@shareTile .@video{object-fit:contain}
.@avatarBox{position:absolute;inset:0;display:grid;place-items:center}
.@avatar{width:96px;height:96px;border-radius:50%}
.@nametag{position:absolute;left:8px;bottom:8px;padding:2px 8px;background:rgba(0,0,0,.6);border-radius:4px;max-width:90%;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
.@outline{position:absolute;inset:0;pointer-events:none;border:0 solid rgb(91,95,199);border-radius:6px}
.@outline::before,.@outline::after{content:"";position:absolute;inset:0;border-radius:6px;opacity:0}
.@outline::before{border:3px solid rgb(91,110,220)}
.@outline::after{border:3px solid rgb(127,133,245)}
.@outlineBefore::before{opacity:1}
.@outlineAfter::after{opacity:.9}
.@outline.vdi-frame-occlusion{border-width:3px}
.@alone{position:absolute;inset:12% 0 auto;text-align:center;font-size:18px;pointer-events:none}
.@panePlace:not(:empty){width:320px;flex:none}
.@pane{height:100%;background:#fff;color:#242424;display:flex;flex-direction:column;padding:12px;gap:8px}
.@paneHeader{display:flex;justify-content:space-between;align-items:center}
.@roster,.@chat{flex:1;min-height:0;display:flex;flex-direction:column;gap:8px}
.@peopleList{overflow:auto;max-height:420px}
.@personRow{height:44px;display:flex;gap:8px;align-items:center;overflow:hidden;white-space:nowrap}
.@smallAvatar{width:28px;height:28px;border-radius:50%;background:#c7caf0;flex:none}
.@viewportBox{flex:1;min-height:0}
.@viewport{height:100%;overflow:auto;overflow-wrap:anywhere}
.@message0{padding:4px 8px;margin:4px 0;background:#f0f0f0;border-radius:6px}
.@message0.fui-ChatMyMessage{background:#e8ebfa}
.@message0 p{margin:0;white-space:pre-wrap;min-height:1em}
.@composer{display:flex;gap:8px;align-items:end}
.@composerBox{flex:1;min-height:36px;max-height:120px;overflow:auto;border:1px solid #d1d1d1;border-radius:4px;padding:6px 8px;background:#fff}
.@composerBox p{margin:0;min-height:1.2em;white-space:pre-wrap}
.@captionsPlace:not(:empty){position:absolute;left:16px;right:16px;bottom:16px}
.@captions{background:rgba(0,0,0,.85);border-radius:6px;padding:8px 12px;max-height:180px;overflow:hidden}
.@captions .@button{float:right;background:transparent;border-color:transparent;color:#fff;min-height:0;padding:0 6px}
.@network:not(:empty){position:absolute;top:40%;left:50%;transform:translateX(-50%);background:#3d3d3d;padding:16px 24px;border-radius:6px}
.@banner{background:#fff4ce;color:#242424;padding:8px 16px;display:flex;justify-content:space-between;gap:12px}
.@banners{position:absolute;top:0;left:0;right:0;z-index:3}
.@toasts{position:fixed;right:16px;bottom:16px;display:grid;gap:8px;z-index:5;pointer-events:none}
.@toast{background:#fff;color:#242424;border:1px solid #d1d1d1;padding:12px 16px;border-radius:6px;max-width:320px;overflow-wrap:anywhere}
.@menu{position:fixed;top:64px;right:120px;background:#fff;color:#242424;border-radius:6px;padding:6px;min-width:220px;box-shadow:0 2px 12px rgba(0,0,0,.4);z-index:6}
.@menuItem{padding:8px 12px;cursor:pointer;border-radius:4px}
`

export function addStyles(cls: (part: string) => string): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLES.replace(/@([a-zA-Z]+\d?)/g, (_, part: string) => cls(part)))
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}

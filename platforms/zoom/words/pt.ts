/** Portuguese wording, for a page that ignores the requested language. Source: language file of the published SDK. */
import type { PartialWords } from '../../shared/words.ts'
import type { ENGLISH } from './en.ts'

export const PORTUGUESE: PartialWords<typeof ENGLISH> = {
  states: {
    browser_off: [/^incapaz juntar-se a partir do navegador/],
    removed: [/^você foi removido/],
    locked: [/\breunião foi bloqueada/, /\bfoi bloqueada pelo anfitrião/],
    ended: [/^esta reunião foi encerrada/, /^a reunião foi encerrada/],
    free_limit: [/^sua reunião gratuita foi encerrada/],
    join_failed: [/^tempo limite de ingresso na reunião/, /^o tempo de entrada na reunião expirou/],
    waiting_for_host: [/^aguardando o início da reunião pelo anfitrião/, /^aguardando pelo anfitrião para iniciar/],
    waiting_room: [
      /\bo anfitrião (?:da reunião )?deixará você entrar em breve/,
      /^o anfitrião saiu da reunião\. aguardando/,
    ],
    joining: [/^entrando na reunião/],
    wrong_passcode: [/^senha errada/],
    reconnecting: [/^tentando reconectar/],
  },
  dialogs: {
    recording: [/^esta reunião está sendo gravada/],
    join_audio: [/^para ouvir as outras pessoas, conecte o áudio/],
  },
  labels: {
    me: [/^eu$/],
    host: [/^anfitrião$/],
    leave: [/^sair$/],
    end: [/^encerrar$/],
    agree: [/^concordar$/],
    later: [/^mais tarde$/],
    stayMuted: [/^permanecer com o som desativado$/],
    microphoneOn: [/^ativar mudo$/],
    microphoneOff: [/^desativar mudo$/],
    cameraOn: [/^parar vídeo$/],
    cameraOff: [/^iniciar(?: meu)? vídeo$/],
    gotIt: [/^entendi$/],
    joinAudio: [/^entrar áudio por computador$/],
    leaveMeeting: [/^sair da reunião$/],
    endForAll: [/^encerrar a reunião para todos$/],
    speakerView: [/^exibição do palestrante$/],
    galleryView: [/^exibição da galeria$/],
  },
}

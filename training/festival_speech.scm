;; Speaks the lines of LINES with a voice of festival, as flite_speech.c does with flite's.
;; festival -b '(begin (set! teacher "kal_diphone") (set! stretch 1.0))' festival_speech.scm, in a folder with lines.scm.
(eval (list (intern (string-append "voice_" teacher))))
(Parameter.set 'Duration_Stretch stretch)

(define (print_segment segment)
  (let ((word (item.feat segment "R:SylStructure.parent.parent.R:Token.parent.name")))
    (format t "%s %f %s\t" (item.name segment) (item.feat segment "end") (if (string-equal word "0") "-" word))))

(define (speak number text)
  (let ((utterance (utt.synth (eval (list 'Utterance 'Text text)))))
    (utt.save.wave utterance (format nil "%d.wav" number) 'riff)
    (mapcar print_segment (utt.relation.items utterance 'Segment))
    (format t "\n")))

(load "lines.scm")

/** Words that tell the languages written in Latin letters: small words, and those of prices, opening hours, recipes, travel and messages. */

const lists: Readonly<Record<string, string>> = {
  da: `
    og det er en et den til på de med for ikke der han hun som jeg du vi har var fra af kan vil skal men om eller
    efter også hvad her nu dag måned mødet begynder kl måneden katte hunde minutter prisen sig sin deres blev være
    bliver år uge koster hvor når meget mange dette denne ud op ind hos siden både fik sal etage gang stiger betaler
    bor kom plads pladsen division verdenskrig sluttede døde klasse kong kører ankommer lejlighed lejligheden koger
    bage tilsæt dage timer ugen igen alle hele første åbent åbningstider lukket mandag tirsdag onsdag torsdag fredag
    lørdag søndag helligdage dagligt januar februar marts maj juni juli august oktober december kaffe brød ost smør
    mælk vand øl suppe salat menukort ret dagens morgenmad frokost aftensmad flaske stk liter spiseskefuld spsk tsk
    knivspids ingredienser trin del afsnit tilbagekomst indhold indledning bilag tabel figur tilbud rabat gratis køb
    betal kun ialt faktura salg levering nat nætter dobbeltværelse enkeltværelse voksne børn billet afgang perron
    station lufthavn lufthavnen stoppested bus linje retning udgang værelse lokale bygning hus gade dør temperatur
    grader vejr regn vind vægt højde længde bredde alder antal afstand hastighed bestilling besked beskeder nye klar
    varer kurv stjerner anmeldelser ringer venter ventet time sekunder cirka hej farvel stor store lille halv idag
    imorgen igår rør bland ovnen gram mel sukker æg kroner din dit dine ses parkering størrelse spillere kamp flyet
    forsinket sko solgt søges mindst højst vores mangler priser pris kapitel side nummer telefon adresse dato tid
    beløb vogn niveau ankomst varighed lektion øvelse spørgsmål svar ordrenummer`,
  nb: `
    og det er en et den til på de med for ikke der han hun som jeg du vi har var fra av kan vil skal men om eller
    etter også hva her nå dag måned måneden møtet begynner kl katter hunder minutter prisen seg sin deres ble være
    blir år uke koster hvor når mye mange dette denne ut opp inn hos siden både fikk ei noe bare hver desember gå
    går etasje betaler bor plass verdenskrig sluttet klasse begynte spor ankommer leilighet leiligheten dager timer
    uken igjen alle hele første gikk døde tilsett stek åpent åpningstider stengt mandag tirsdag onsdag torsdag
    fredag lørdag søndag helligdager daglig januar februar mars mai juni juli august oktober kaffe brød ost smør
    melk vann øl suppe salat meny rett dagens frokost lunsj middag flaske stk liter spiseskje spiseskjeer ss ts
    klype ingredienser trinn steg del avsnitt tilbakekomst innhold innledning vedlegg tabell figur tilbud rabatt
    gratis kjøp betal kun totalt faktura salg levering natt netter dobbeltrom enkeltrom voksne barn billett avgang
    perrong stasjon flyplass flyplassen holdeplass buss linje retning utgang rom bygning hus gate dør temperatur
    grader vær regn vind vekt høyde lengde bredde alder antall avstand hastighet bestilling melding meldinger nye
    klar varer handlekurv stjerner anmeldelser ringer venter ventet time sekunder omtrent hei stor store liten halv
    idag imorgen igår rør bland ovnen gram mel sukker egg kroner din ditt dine ses parkering størrelse spillere kamp
    flyet forsinket sko solgt ønskes minst høyst vår mangler pris kapittel side nummer telefon adresse dato tid
    beløp vogn nivå ankomst varighet leksjon øvelse spørsmål svar ordrenummer`,
  sv: `
    och det är en ett den till på de med för inte där han hon som jag du vi har var från av kan vill ska men om
    eller efter också vad här nu dag månad månaden mötet börjar kl tåget minuter katter hundar ses sig sin deras
    blev vara blir år vecka kostar priset hur när mycket många detta denna ut upp in hos sedan både fick något bara
    varje gick går att tåg spår kommer fram lägenhet lägenheten våning bor betalar plats världskriget slutade klass
    dagar timmar veckan igen alla hela första tillsätt grädda dog gången öppet öppettider stängt stängd måndag
    tisdag onsdag torsdag fredag lördag söndag söndagar helgdagar dagligen januari februari mars maj juni juli
    augusti oktober december kaffe te bröd ost smör mjölk vatten öl vin soppa sallad meny rätt dagens frukost lunch
    middag kväll flaska bit styck liter matsked matskedar tesked teskedar nypa ingredienser steg del avsnitt
    återkomst innehåll inledning bilaga tabell figur erbjudande rabatt gratis köp betala endast totalt summa faktura
    försäljning frakt leverans natt nätter dubbelrum enkelrum vuxna barn inträde bokning avgång avgår ankomst
    perrong station flygplats flygplatsen hållplats buss linje riktning utgång rum sal byggnad hus gata torg dörr
    temperatur grader väder regn vind vikt höjd längd bredd ålder antal avstånd hastighet beställning meddelande
    meddelanden nya nytt klar klart redo varor artiklar varukorg stjärnor recensioner ringer väntat väntar timme
    sekunder senaste kvar ungefär hej hejdå stor stora liten halv idag imorgon igår rör blanda ugnen gram mjöl
    socker ägg kronor kr ditt din dina mitt köpa hämta bulle parkering storlek spelare match matchen flyget försenat
    försenad skor såld sökes minst högst vår saknar pris kapitel sidan sida nummer telefon adress datum tid belopp
    vagn nivå lektion övning fråga svar rad ordernummer`,
  nl: `
    de het een en van is in op te dat die niet met voor zijn aan er ook als bij naar om maar wel uit dan nog door over
    tot of wat worden wordt heeft had hebben hij zij ze wij je ik u mijn deze dit geen kost per maand uur begint jaar
    dag hoe waar meer veel alle was haar hun ons trein spoor komt appartement woont won voeg toe bak neem daags tablet
    tabletten vergadering verdieping zout eieren eeuw woonden sloot verloor prijs steeg punten kamer dagen uren weken
    eerste jullie bent hebt graag dank bedankt goed nieuwe dhr mevr straat minuut open geopend gesloten openingstijden
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag feestdagen dagelijks januari februari maart mei juni
    juli augustus oktober december koffie thee brood kaas boter melk water bier wijn soep salade dagmenu menukaart
    gerecht ontbijt lunch diner fles stuk stuks liter eetlepel eetlepels theelepel snufje ingrediënten stap deel
    sectie hoofdstuk terugkeer inhoud inleiding bijlage tabel figuur aanbieding korting gratis halen betalen alleen
    totaal som factuur kopen verkoop verzending nacht nachten tweepersoonskamer eenpersoonskamer volwassenen kinderen
    toegang entree afspraak duur vertrek vertrekt aankomst perron station vliegveld luchthaven halte bus lijn richting
    uitgang zaal lokaal gebouw huis plein deur temperatuur graden weer regen wind gewicht hoogte lengte breedte
    leeftijd aantal afstand snelheid bestelling bericht berichten klaar artikelen artikel winkelwagen sterren
    beoordelingen zien elkaar wacht wachten bel bellen kom minuten seconden jaren laatste resteren ongeveer hoi doei
    groot grote kleine halve vanaf vandaag morgen gisteren toevoegen mengen roeren voorverwarmen gram bloem suiker ei
    vijf parkeren maat spelers speler wedstrijd vlucht vertraagd vertraging schoenen verkocht gezocht minimaal
    maximaal ieder onze missen katten honden hond kat ziens aflevering niveau voltooid resultaten gevonden opgericht
    batterij stand score levertijd werkdagen recept personen bron foto kaart inwoners oppervlakte toeschouwers
    deelnemers stoel doelpunt ronde plaats seizoen vraag antwoord oefening les reacties weergaven abonnees bestanden
    bestand nummer editie fouten stemmen geannuleerd level pagina bladzijde telefoon adres datum tijd bedrag week
    regel bestelnummer`,
  de: `
    der die das und ist in zu den mit von für auf nicht sich des ein eine einen einem einer auch es an als wie bei
    wird sind aus nach am im um uhr hat haben war er sie wir ich du ihr noch nur so über vor zum zur oder aber dass
    man kann werden wurde durch pro bis beträgt kostet jahr jahre monat euro etwa rund unter mehr sehr kein keine
    kapitel seite minuten stunden dem gilt seit abs kommt gewann tor nehmen tablette täglich wohnung zimmer kalt warm
    bitte mehl zucker backen schloss punkten lebten regierte gesetz besprechung angebot vom heute morgen gestern woche
    tage danke gut neue ersten wieder schon immer hier dort wo wann warum öffnungszeiten geöffnet geschlossen montag
    dienstag mittwoch donnerstag freitag samstag sonntag sonntags werktags feiertags januar februar märz mai juni juli
    oktober dezember kaffee tee brot käse wurst milch butter wasser bier wein suppe salat tagesmenü speisekarte
    frühstück mittagessen abendessen gericht portion flasche stück kilo liter esslöffel teelöffel prise zutaten
    schritt teil abschnitt band rückkehr inhalt einleitung anhang tabelle abbildung aktion rabatt kostenlos preis
    gesamt summe rechnung zahlen kaufen verkauf versand lieferung nacht nächte doppelzimmer einzelzimmer gäste
    eintritt kinder erwachsene ermäßigt termin dauer abfahrt ankunft gleis zug bahnsteig flughafen bahnhof haltestelle
    bus linie richtung ausgang raum etage stock stockwerk haus straße platz tür temperatur grad wetter regen wind
    gewicht größe länge höhe breite alter anzahl entfernung geschwindigkeit bestellung nachricht nachrichten fertig
    bereit artikel warenkorb sterne bewertung treffen warte warten ruf rufe komme bin bist seid minute stunde sekunden
    tagen jahren mal fehlt fehlen circa alles klar gerne hallo tschüss große großer kleine lang kurz offen parken
    ausfahrt hinzufügen mischen rühren ofen vorheizen gramm spieler spiel spiele flug verspätet schuhe kleidung gratis
    verkauft gesucht mindestens höchstens insgesamt jeweils beim ins unserem unsere euch mein dein sein katze katzen
    hund hunde abb querschnitt küche bad plätze frei spielstand folge akku gewinn stimmen wartezeit hausnummer
    gegründet auflage geschafft fehler gefunden quelle stand foto bild karte einwohner fläche umsatz verlust anteil
    zuschauer besucher teilnehmer sitze ziel runde rang staffel aufgabe frage antwort lösung punkte guthaben konto
    kunden rezept portionen lieferzeit werktage beitrag kommentare aufrufe abonnenten lektion übung treffer ergebnisse
    dateien datei fotos bilder ausgabe heft nummer level score bestellnummer kundennummer rechnungsnummer
    artikelnummer postleitzahl telefon anschrift adresse datum uhrzeit betrag menge stückzahl wohnfläche baujahr
    kilometerstand gültig abflug sitzplatz wagen zeile spalte ziffer frist stufe tag`,
  en: `
    the of and to in is that it was for on are as with his they at be this have from or had by but some what there we
    can out other were all your when up use word how said an each she which do their time if will way about many then
    them would like so these her long make see him two has look more day could go come did my no most who over know
    than call first people may down been now find any new take get made where after back only me our under a i you he
    starts costs leaves am pm page chapter number bring buy add mix bake wait send please thanks open press run walked
    went got won lost opens closed hours opening monday tuesday wednesday thursday friday saturday sunday weekdays
    holidays daily january february march april june july august september october november december coffee tea bread
    cheese butter milk water beer wine soup salad rice menu special breakfast lunch dinner bottle piece pieces cup
    cups tablespoon tablespoons teaspoon tsp tbsp pinch ingredients step part section volume return contents
    introduction appendix table figure offer sale discount off free pay total sum invoice price shipping delivery
    night nights rooms room double single adults children kids entry ticket appointment duration departure departs
    arrival arrives platform station airport stop bus line exit hall building house street square door temperature
    degrees weather rain wind weight height length width age distance speed order orders message messages ready items
    item cart stars reviews meet waiting coming minute minutes seconds second hour years year days weeks last left
    remaining hi hey hello bye big large small half stir oven preheat grams egg eggs sugar flour salt est cost flat
    floor gate seat level version via pro per latte team players score points game goal pages size parking delayed
    missing paid pays lives live lived works worked born died says ran played plays bought sold built moved held kept
    found gave given taken took told asked called tried used needs needed wants wanted likes liked looks looked seems
    feels became begin began started ends ended grew rose fell dropped reached hit beat beats scored wins win won't
    don't didn't isn't wasn't can't it's that's i'm you're they're we're let's he's she's against between during
    without within above below near across along among while until since before both same such own still even never
    always often again once twice ago later early late today tomorrow yesterday tonight morning afternoon evening noon
    midnight week month quarter century decade old young short high low tall wide deep heavy light fast slow hot cold
    warm cool full empty best better worst good great nice bad right wrong true false yes ok okay sure man woman men
    women boy girl child father mother family friend home city town state country world war peace king queen president
    law school college university student students teacher doctor dr mr mrs ms prof hospital church company market
    bank money dollars dollar cents pounds percent million billion thousand hundred third fifth name names words lines
    list file files paper book books story letter picture music song film movie video phone email address website
    computer software data model users user test results report study research science history government election
    vote votes party police court case road highway route mile miles feet foot inch inches yard yards pound ounce
    gallon gallons mph snow sun games match season league club player coach ball race round final record head hand eye
    body heart life death land sea river lake mountain island north south east west area region population density
    located founded established known including according around almost nearly least less every none one three four
    five six seven eight nine ten eleven twelve exhibit question answer problem example note notes welcome sorry happy
    birthday york london san los angeles avenue drive lane boulevard apt suite unit block marker air force army navy
    regiment say times apple apples pi symphony class goes bigger smaller battery flight canceled cancelled serves
    result source photo error errors comments views subscribers`,
  fr: `
    le la les de des du un une et est en que qui dans pour pas sur avec au aux ce il elle nous vous je tu ils elles se
    ne plus par sont mais ou où son sa ses leur cette ces été être avoir a ont fait comme tout tous très bien aussi y
    on mon ma mes votre notre deux fois ans euros mois jour heures rendez coûte prix part commence chapitre page perdu
    gagné train voie arrive appartement pièces ajoutez farine sel œufs cuire régna habite siècle mesure pèse passé
    soit marqué minute semaine bonjour merci oui non aujourd demain hier prenez comprimé pendant tél rue étage mars
    avril juin août points quand pourquoi comment ici là ouvert ouverte fermé fermée horaires horaire ouverture
    fermeture lundi mardi mercredi jeudi vendredi samedi dimanche janvier février septembre octobre novembre décembre
    café thé pain fromage beurre eau bière vin soupe salade plat menu formule entrée dessert déjeuner dîner petit
    bouteille morceau litre cuillère cuillères cuillerée pincée ingrédients étape partie section tome retour sommaire
    introduction annexe tableau figure promotion promo remise réduction gratuit achetés offert seulement total somme
    facture payer acheter vente livraison nuit nuits chambre double simple adulte adultes enfants enfant tarif réduit
    durée départ arrivée quai gare aéroport arrêt bus ligne direction sortie salle pièce bâtiment maison place porte
    température degrés météo pluie vent poids taille longueur hauteur largeur âge nombre distance vitesse commande
    message messages nouveaux nouveau nouvelle prêt prête articles article panier étoiles avis voit attends attend
    appelle suis serai dernier dernière secondes an fini reste encore environ salut ok grand grande gros petite petits
    mélanger four préchauffer grammes versez ajouter laissez crème stationnement pointure joueurs joueur match vol
    retardé retard chaussures manque vendu cherche minimum maximum chacun chaque nos vos tes annulé épisode légende
    niveau terminé résultats trouvés fondée fondé score votes oeufs batterie délai source photo carte habitants
    superficie chiffre spectateurs participants siège but tour rang saison question réponse exercice leçon
    commentaires vues abonnés fichiers fichier recette personnes numéro édition exemplaires trouvé erreurs téléphone
    adresse date heure montant quantité voiture valable série référence rayon`,
  es: `
    el la los las de del un una y es en que por para con no se lo su al más como pero sus le ya o este sí porque esta
    entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante todos uno les ni contra otros
    ese eso ante ellos e esto mí antes algunos qué unos yo otro otras otra él tanto esa estos mucho nada muchos cual
    poco ella estar estas tengo cuesta mes precio años día son fue ser tiene empieza sale vemos capítulo página añade
    mezcla hornea harina azúcar huevos taza tazas sal necesito quiero tren andén llega piso planta ganó gol minuto
    tome comprimido cada horas minutos semana puntos cayó vive hoy mañana ayer gracias hola buenos cómo cuándo nueva
    nuevo leche tomates agua oprima pulse marque abierto abierta cerrado cerrada horario horarios apertura lunes
    martes miércoles jueves viernes sábado sábados domingo domingos festivos enero febrero marzo abril mayo junio
    julio agosto septiembre octubre noviembre diciembre café té pan queso mantequilla cerveza vino sopa ensalada menú
    plato ración postre desayuno almuerzo comida cena botella trozo litro cucharada cucharadas cucharadita pizca
    ingredientes paso sección tomo regreso índice introducción anexo tabla figura oferta descuento gratis solo total
    suma factura pagar comprar venta envío noche noches habitación doble individual adulto adultos niños entrada
    tarifa cita duración salida llegada vía estación aeropuerto parada autobús línea dirección sala segunda primera
    edificio casa calle plaza puerta temperatura grados tiempo lluvia viento peso altura largo ancho edad número
    distancia velocidad pedido mensaje mensajes nuevos listo lista artículos artículo carrito estrellas opiniones
    quedamos llego llamo espero van respuesta segundos hora año últimas quedan faltan aproximadamente vale adiós gran
    grande grandes pequeño medio añadir mezclar remover horno precalentar gramos huevo tienes cocer aparcamiento
    gratuito talla jugadores jugador partido vuelo retrasado retraso zapatos vendido busco mínimo máximo nuestro
    nuestra personas gente episodio nivel completado resultados fundada fundado batería marcador plazo mayores receta
    cancelado votos aforo plazas nota entradas fuente foto mapa habitantes superficie ventas participantes asiento
    ronda puesto temporada pregunta ejercicio lección comentarios vistas suscriptores archivos archivo edición
    encontrados errores capacidad teléfono fecha importe cantidad coche`,
  it: `
    il lo la i gli le di del della dei delle un una e è in che per con non si da al alla come ma anche ho ha sono più
    su nel nella o se questo questa mi ci ti vi tra fra quando dove chi cosa molto tutto tutti essere avere fatto suo
    sua loro noi voi lui lei io tu dal dalla sul ai anni euro mese ore inizia parte costa prezzo totale vediamo
    capitolo pagina aggiungi farina latte uova cuoci zucchero sale treno binario arriva appartamento abita via piano
    perso punti vinto gol minuto prenda compressa ogni giorno giorni settimana secolo vivevano salito oggi domani ieri
    grazie ciao buongiorno nuovo nuova circa minuti aperto aperta chiuso chiusa orario orari apertura chiusura lunedì
    martedì mercoledì giovedì venerdì sabato domenica festivi gennaio febbraio marzo aprile maggio giugno luglio
    agosto settembre ottobre novembre dicembre caffè tè pane formaggio burro acqua birra vino zuppa insalata menù menu
    piatto antipasto dolce colazione pranzo cena bottiglia pezzo pezzi litro cucchiaio cucchiai cucchiaino pizzico
    ingredienti passo passaggio sezione tomo ritorno indice introduzione allegato tabella figura offerta sconto gratis
    solo somma fattura pagare paghi prendi comprare vendita spedizione notte notti camera doppia singola adulti
    bambini ingresso tariffa ridotto appuntamento durata partenza arrivo stazione aeroporto fermata autobus linea
    direzione uscita sala aula stanza terzo secondo primo edificio casa piazza porta temperatura gradi tempo pioggia
    vento peso altezza lunghezza larghezza età numero distanza velocità ordine messaggio messaggi nuovi pronto pronta
    articoli articolo carrello stelle recensioni aspetto aspettare chiamo secondi ora anno ultimi mancano restano
    grande grandi piccolo mezzo mezza aggiungere mescolare forno preriscaldare grammi uovo hai hanno dalle alle dopo
    prima cappuccino cornetto parcheggio gratuito taglia giocatori giocatore partita volo ritardo scarpe venduto cerco
    minimo massimo ciascuno nostro nostra episodio livello completato risultati fondata fondato batteria risultato
    voti ricetta persone cancellato posti fonte foto mappa abitanti superficie spettatori partecipanti turno posto
    stagione domanda risposta esercizio lezione commenti visualizzazioni iscritti edizione errori trovati consegna
    telefono indirizzo data importo quantità carrozza volume`,
  pt: `
    o a os as de do da dos das um uma e é em que por para com não se no na nos nas ao à às mais como mas foi ele ela
    seu sua ou ser quando muito há já está eu também só pelo pela até isso entre era depois sem mesmo aos ter seus
    quem me esse eles estão você tinha foram essa num nem suas meu minha têm numa pelos tenho custa mês preço começa
    parte anos dia reunião são capítulo página adicione farinha açúcar ovos asse minutos trem plataforma chega
    apartamento andar caiu pontos dólar fechou viviam cerca pessoas mora venceu gol tempo tome comprimido dias ligue
    hoje amanhã ontem obrigado obrigada olá bom novo nova horas semana reais rua aberto aberta fechado fechada horário
    horários abertura segunda terça quarta quinta sexta feira sábado sábados domingo domingos feriados janeiro
    fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro café chá pão queijo manteiga
    leite água cerveja vinho sopa salada cardápio ementa prato sobremesa almoço jantar garrafa pedaço litro colher
    colheres pitada ingredientes passo etapa seção secção volume regresso retorno índice introdução anexo tabela
    figura oferta promoção desconto grátis leve pague apenas total soma fatura pagar comprar venda envio frete noite
    noites quarto duplo casal solteiro adultos crianças entrada tarifa consulta duração partida saída chegada linha
    comboio estação aeroporto parada paragem ônibus autocarro direção sala segundo primeiro terceiro edifício prédio
    casa praça porta temperatura graus chuva vento peso altura comprimento largura idade número distância velocidade
    pedido mensagem mensagens novas novos pronto pronta artigos itens carrinho estrelas avaliações vemos chego ligo
    espero faz resposta minuto segundos hora ano últimos faltam restam tchau grande grandes pequeno meio meia
    acrescente adicionar misturar forno gramas ovo tem temos daqui vamos ver pra estacionamento tamanho jogadores
    jogador jogo voo atrasado atraso sapatos vendido procuro mínimo máximo nosso nossa pro episódio nível concluído
    resultados encontrados fundada bateria placar votos receita vagas fonte foto mapa habitantes área espectadores
    participantes assento rodada lugar temporada pergunta exercício lição comentários visualizações inscritos arquivos
    arquivo edição erros corte cancelado telefone endereço data valor quantidade carruagem`,
  pl: `
    i w na z do się nie to jest że o jak po co za od ale tak dla przez ma by go był już tylko jego jej ich ten ta te
    być są przy bez czy mam może oraz lub tym tego które który która także gdy kiedy gdzie bardzo będzie było była ze
    we ja ty on ona my wy cena wynosi zaczyna rok roku miesięcznie kosztuje zobaczenia godz pociąg peronu przyjeżdża
    mieszkanie spotkanie dodaj mąki cukru jajka piecz spadł mieszkało osób zmarł wygrała wygrał gol padł minucie brać
    tabletkę razy dziennie wzrosła ul dziś jutro wczoraj dziękuję proszę nowy nowa godzin minut dni tygodniu stycznia
    lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia pok otwarte otwarty
    zamknięte nieczynne czynne godziny otwarcia poniedziałek wtorek środa czwartek piątek sobota sobotę niedziela
    niedziele święta codziennie kawa herbata chleb ser masło mleko mleka woda wody piwo wino zupa sałatka menu danie
    obiad śniadanie kolacja dnia butelka sztuka sztuk litr łyżka łyżki łyżek łyżeczka szczypta składniki krok część
    sekcja tom powrót spis wstęp załącznik tabela rysunek promocja oferta rabat zniżka gratis razem suma faktura
    zapłać kup sprzedaż dostawa noc nocy pokój dwuosobowy jednoosobowy dorośli dzieci bilet termin czas odjazd
    odjeżdża przyjazd peron stacja dworzec lotnisko lotniska przystanek autobus linia kierunek wyjście sala budynek
    dom ulica plac drzwi temperatura stopni pogoda deszcz wiatr waga wysokość długość szerokość wiek liczba odległość
    prędkość zamówienie wiadomość wiadomości nowych nowe gotowe gotowy produkty koszyk gwiazdki opinie spotkamy czekam
    zadzwonię będę masz jestem minuty sekund godzinę lat ostatnie zostało około cześć pa duży duże mały pół dodać
    wymieszaj piekarnik gram jajko jajek piętro cenie zł parking bezpłatny rozmiar zawodnik zawodników mecz mecze lot
    opóźniony opóźnienie buty sprzedam szukam minimum maksimum brakuje kot koty psy pies odcinek poziom wyniki wynik
    bateria źródło zdjęcie mapa mieszkańców powierzchnia widzów uczestników miejsce runda sezon pytanie odpowiedź
    ćwiczenie lekcja komentarze wyświetleń plik pliki numer wydanie błędy głosy ukończony założona rozdział strona
    strony telefon adres data godzina kwota ilość wagon tydzień wiersz`,
  fi: `
    ja on ei se että en oli hän olen mutta ovat niin kuin tai myös jos joka mikä mitä minä sinä me te he minulla
    sinulla hänellä ole olla kun nyt vain sitten tämä tuo jo kaikki hyvin vielä hinta klo maksaa nähdään kuluttua
    kuukaudessa alkaa lähtee vuotta vuonna noin yli kanssa jälkeen ennen mukaan sekä juna raiteelta kello asunto
    kerros päivä päivää tuntia viikossa tänään huomenna eilen kiitos hei uusi pistettä voitti lisää jauhoja sokeria
    munaa paista minuuttia avoinna auki suljettu kiinni aukioloajat maanantai tiistai keskiviikko torstai perjantai
    lauantai sunnuntai sunnuntaisin arkisin pyhinä päivittäin tammikuuta helmikuuta maaliskuuta huhtikuuta
    toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta kahvi tee leipä juusto voi
    maito maitoa vesi vettä olut viini keitto salaatti ruokalista annos päivän aamiainen lounas illallinen pullo kpl
    litra ruokalusikka ruokalusikallista rkl tl teelusikallista ripaus ainekset vaihe luku osa kappale paluu sisältö
    johdanto liite taulukko kuva tarjous alennus ilmainen osta maksa yhteensä summa lasku myynti toimitus yö yöltä
    yötä alkaen euroa senttiä huone huonetta aikuiset lapset pääsymaksu aika kesto lähtö saapuu laituri asema
    lentokenttä lentokentältä pysäkki bussi linja suunta uloskäynti sali rakennus talo katu tori ovi lämpötila
    astetta sää sade tuuli paino korkeus pituus leveys ikä määrä etäisyys nopeus tilaus viesti viestiä viestit uutta
    uudet valmis tuotetta tuotteet ostoskori tähteä arvostelut soitan odotan odottanut tulen tulee oletko minuutin
    minuutissa sekuntia tunnin vuosi viimeiset jäljellä suunnilleen moi heippa iso isoa pieni puoli sekoita uuni
    grammaa jauho sokeri muna sinulle sinun minun pulla pysäköinti koko pelaajaa pelaaja ottelu otteluun lento
    myöhässä kengät myydään etsitään vähintään enintään tarvitaan sivu sivua numero puhelin osoite paikka vaunu taso
    viikko saapuminen oppitunti harjoitus kysymys vastaus rivi tilausnumero`,
  id: `
    yang dan di ini itu dengan untuk dari dalam tidak akan pada adalah ke saya kami kita mereka dia ada oleh juga atau
    bisa sudah karena bahwa seperti lebih telah harus hanya punya anda para sebuah pukul jam bulan tahun hari harganya
    biayanya dapat rapat dimulai sampai jumpa desember mobil uang kantor kereta berangkat belum sangat orang saat
    secara ulang abad jalur naik turun tambahkan gula telur tepung menit besok kemarin terima kasih perang dunia masa
    indah pertama kedua ketiga buka tutup senin selasa rabu kamis jumat sabtu minggu libur januari februari maret mei
    juni juli agustus oktober kopi teh roti keju mentega susu air bir sup salad nasi goreng mie ayam sapi ikan menu
    makan makanan minuman sarapan siang malam sore pagi botol potong buah butir biji liter sendok sejumput bahan
    langkah bab bagian jilid kepulangan perjalanan pulang isi pendahuluan lampiran tabel gambar promo diskon gratis
    beli bayar total belanja jumlah faktura jual kirim ongkir permalam kamar dewasa anak tiket masuk jadwal lama
    keberangkatan kedatangan stasiun bandara halte bus arah keluar ruang lantai gedung rumah jalan pintu suhu derajat
    cuaca hujan angin berat tinggi panjang lebar umur usia nomor jarak kecepatan pesanan pesan surat baru siap barang
    keranjang bintang ulasan ketemu tunggu telepon aku kamu kalian ya dibalas lagi detik harga mulai ribu juta rupiah
    anggota kira besar kecil setengah aduk campur oven gram hangat parkir ukuran pemain pertandingan penerbangan
    terlambat sepatu dijual dicari minimal maksimal butuh buat hasil ditemukan baterai dibatalkan didirikan berumur
    kucing anjing tinggal perlu hewan bola menang kalah halaman alamat tanggal kursi gerbong tingkat peron durasi
    faktur pelajaran latihan pertanyaan jawaban baris`,
  ms: `
    yang dan di ini itu dengan untuk dari dalam tidak akan pada adalah ialah ke saya kami kita mereka dia ada oleh
    juga atau boleh sudah kerana bahawa seperti lebih telah harus hanya anda para sebuah pukul bulan tahun hari
    harganya kosnya ekor sebanyak mesyuarat bermula petang pagi malam lagi disember kereta bertolak wang pejabat
    sangat orang sebulan kepada ringgit buka tutup isnin selasa rabu khamis jumaat sabtu ahad cuti mac julai ogos kopi
    teh roti keju susu ayam nasi makan tengah bilik tingkat harga diskaun percuma beli bayar sahaja jumlah tiket
    lapangan terbang stesen perhentian bas suhu darjah hujan mesej baharu pesanan siap jarak parkir saiz pemain
    perlawanan penerbangan lewat kasut dijual dicari minit api jumpa sila tunggu cawan perlukan pekerja tinggal umur
    berumur bateri ditubuhkan dibatalkan hingga seorang kucing anjing ahli jam bab bahagian perjalanan gambar rajah
    gula tambah air goreng ikan menu makanan minuman botol potong isi siang buah langkah pintu rumah jalan lantai
    bangunan ruang keluar masuk arah cuaca angin berat tinggi panjang lebar nombor kamu aku ya detik saat besar kecil
    mulai juta ribu pertama kedua ketiga dunia perang naik turun terima kasih hasil dijumpai muka surat minggu jualan
    tawaran halaman telefon alamat tarikh tempat gerabak aras platform berlepas ketibaan bahan tempoh invois
    pelajaran latihan soalan jawapan baris jilid`,
  sw: `
    na ya wa ni kwa katika la za kuwa hii hiyo huo huu si au lakini pia kama baada kabla yake wake sana watu mtu
    mimi wewe yeye sisi wao nina una ana tuna bei mwezi mwaka siku saa dakika tarehe leo kesho kila hadi zaidi cha
    vya ina mbwa paka inaondoka unaanza inagharimu tutaonana mkutano shilingi alikuwa ilikuwa fungua wazi imefungwa
    jumatatu jumanne jumatano alhamisi ijumaa jumamosi jumapili januari kahawa chai mkate maziwa maji nyama chakula
    sura sehemu hatua chumba ghorofa treni kituo ujumbe mpya oda tayari nitakuja subiri`,
  tl: `
    ang ng sa mga na ay at ito si ni kay para hindi ko mo niya natin namin nila siya ako ikaw tayo kami sila may
    mayroon akong bawat loob buwan taon araw oras din rin lang pa po kung nang isang iyon dito doon presyo aalis
    magsisimula magkita nagkakahalaga pulong tren minuto kita bukas sarado lunes martes miyerkules huwebes biyernes
    sabado linggo enero kape tinapay gatas tubig kanin almusal tanghalian hapunan kabanata bahagi hakbang kuwarto
    palapag istasyon mensahe bagong order handa hintay piso`,
  tr: `
    ve bir bu da de için ile çok daha ne var yok ben sen biz siz onlar mı mi mu mü ama gibi kadar sonra önce olarak
    olan olduğu değil her şey en o şu ya veya ki saat gün ay yıl ayda fiyatı tutuyor kalkıyor başlıyor toplantı
    köpeğim kedim görüşürüz dakika diye göre oldu arttı fiyat lira yeni büyük tren perondan varıyor daire kirası kat
    odada ekleyin pişirin puandan kapandı yüzyılda burada yaklaşık kişi yaşıyordu öldü kazandı gol dakikada geldi
    günde kez tablet alın cad bugün yarın dün teşekkürler merhaba numaralı mah sok açık kapalı çalışma saatleri
    pazartesi salı çarşamba perşembe cuma cumartesi pazar günleri tatil ocak şubat mart nisan mayıs haziran temmuz
    ağustos eylül ekim kasım aralık kahve çay ekmek peynir tereyağı süt su bira şarap çorba salata menü yemek kahvaltı
    öğle akşam şişe adet tane litre kaşığı kaşık tutam malzemeler adım bölüm kısım cilt dönüş içindekiler giriş ek
    tablo şekil kampanya indirim ücretsiz bedava öde sadece toplam tutar fatura satın satış kargo teslimat gece
    gecelik oda kişilik yetişkin çocuk bilet randevu süre kalkış varış peron istasyon havaalanı havaalanına durak
    otobüs hat yön çıkış salon bina ev sokak meydan kapı sıcaklık derece hava yağmur rüzgar ağırlık boy yükseklik
    uzunluk genişlik yaş sayı mesafe hız sipariş mesaj mesajınız mesajlar hazır ürün sepet yıldız yorum buluşalım
    görüşelim bekliyorum ararım geliyorum oradayım cevap dakikaya saniye saatte yıllık son kaldı kalan selam küçük
    yarım ekle karıştırın fırın gram un şeker yumurta dk sa numara nolu itibaren başlayan fiyatlar menemen al otopark
    beden oyuncu maç uçuş gecikmeli gecikme ayakkabı satılık aranıyor asgari azami eksik ilk seviye sonuç pil skor
    oylar kaynak fotoğraf harita nüfus sezon soru ders görüntüleme dosya baskı hata tarif batarya görüntülenme sayfa
    sayfası telefon adres tarih miktar boyut koltuk vagon hafta ünite alıştırma satır`,
  vi: `
    là và của có không được cho một những các với trong này đó đã sẽ đang tôi bạn anh chị em nó họ chúng ta ở từ đến
    khi thì mà cũng như về người ngày tháng năm giờ phút giá đồng lúc sau mỗi con hẹn gặp bắt đầu rất hay nhiều tàu
    khởi hành ga tăng giảm mở cửa đóng hằng hàng thứ hai ba tư sáu bảy chủ nhật nghỉ lễ tết cà phê trà sữa bánh nước
    bia rượu cơm phở bún gà bò cá món ăn sáng trưa tối thực đơn chai miếng lít thìa muỗng nhúm nguyên liệu bước
    chương phần tập mục lục trở giới thiệu phụ bảng hình khuyến mãi miễn phí mua tặng chỉ tổng cộng hóa bán giao đêm
    phòng đôi lớn trẻ vé vào lịch thời gian chạy xuất phát bến sân bay trạm xe buýt tuyến hướng lối tầng tòa nhà
    đường số nhiệt độ trời mưa gió cân nặng cao dài rộng tuổi khoảng cách tốc tin nhắn mới xong sẵn sàng sản phẩm
    giỏ sao đánh chờ gọi lại nữa rồi nhé tí giây quả trứng bột mì to nhỏ nửa thêm trộn lò đỗ cỡ giày cầu thủ trận
    trễ chậm cần tìm thiểu đa thiếu trang điện thoại địa lượng ghế toa mức tuần quyển dòng câu hỏi`,
};

/** Languages of a word in lower case. */
export const languagesOfWord: ReadonlyMap<string, readonly string[]> = (() => {
  const languages = new Map<string, string[]>();
  for (const [language, words] of Object.entries(lists)) {
    for (const word of words.trim().split(/\s+/)) {
      const known = languages.get(word);
      if (known === undefined) languages.set(word, [language]);
      else known.push(language);
    }
  }
  return languages;
})();

/** Languages with words here. */
export const wordyLanguages = Object.keys(lists);

# Makes the .c file behind traces/report_page.h from the sources in traces/report/.
#
#     cmake -D FOLDER=traces/report -D SCRIPTS=base.js,main.js -D OUTPUT=report_page.c
#         -P cmake/report_page.cmake

cmake_minimum_required(VERSION 3.25)

function(bytes_of text result)
    string(HEX "${text}" hex)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," list "${hex}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" list "${list}")
    set(${result} "${list}" PARENT_SCOPE)
endfunction()

function(hash_of text result)
    string(SHA256 hex "${text}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," list "${hex}")
    set(${result} "${list}" PARENT_SCOPE)
endfunction()

file(READ ${FOLDER}/report.html page)
file(READ ${FOLDER}/report.css style)
set(script "\n\"use strict\";\n(() => {\n")
string(REPLACE "," ";" names "${SCRIPTS}")
foreach(name IN LISTS names)
    file(READ ${FOLDER}/${name} part)
    string(APPEND script "${part}\n")
endforeach()
string(APPEND script "})();\n")
string(PREPEND style "\n")

string(REPLACE "@style@" "${style}" page "${page}")
string(REPLACE "@script@" "${script}" page "${page}")
hash_of("${script}" script_hash)
hash_of("${style}" style_hash)

set(code "#include \"traces/report_page.h\"\n\n")
set(pieces "")
set(index 0)
foreach(place @script-hash@ @style-hash@ @title@ @data@ @rows@ @end@)
    string(FIND "${page}" "${place}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "${FOLDER}/report.html: found no ${place}")
    endif()
    string(LENGTH "${place}" length)
    string(SUBSTRING "${page}" 0 ${at} piece)
    math(EXPR after "${at} + ${length}")
    string(SUBSTRING "${page}" ${after} -1 page)
    bytes_of("${piece}" bytes)
    string(APPEND code "static const uint8_t piece_${index}[] = {\n${bytes}};\n\n")
    string(APPEND pieces "    {piece_${index}, sizeof piece_${index}},\n")
    math(EXPR index "${index} + 1")
endforeach()
string(APPEND code
    "const struct report_piece report_pieces[REPORT_PLACE_COUNT] = {\n${pieces}};\n\n"
    "const uint8_t report_script_sha256[32] = {${script_hash}};\n"
    "const uint8_t report_style_sha256[32] = {${style_hash}};\n")
file(WRITE ${OUTPUT} "${code}")
